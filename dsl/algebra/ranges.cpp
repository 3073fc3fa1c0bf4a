#include "dsl/algebra/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "dsl/algebra/scales.hpp"

namespace dsl::algebra {

using messages::graph_node;

namespace {

constexpr int deepest_range = 8;

/// Of operators that give these on any argument. gelu, silu and mish have a minimum below 0.
const std::map<std::string_view, range> ranges{
    {"sigmoid", {0, 1}},
    {"hardsigmoid", {0, 1}},
    {"_softmax", {0, 1}},
    {"tanh", {-1, 1}},
    {"erf", {-1, 1}},
    {"sin", {-1, 1}},
    {"cos", {-1, 1}},
    {"exp", {0, infinity}},
    {"softplus", {0, infinity}},
    {"abs", {0, infinity}},
    {"square", {0, infinity}},
    {"sqrt", {0, infinity}},
    {"gelu", {-0.18, infinity}},
    {"silu", {-0.28, infinity}},
    {"mish", {-0.31, infinity}},
    {"hardswish", {-0.38, infinity}},
};

range within(const graph_index& graph, std::string_view tensor, int depth);

range scaled(range x, double factor) {
  if (!is_ordinary(factor)) return {};
  return factor > 0 ? range{x.low * factor, x.high * factor} : range{x.high * factor, x.low * factor};
}

/// gelu, silu, mish and hardswish of x are at most x where x > 0, and at most 0 elsewhere.
bool stays_below_argument(std::string_view op) {
  return op == "gelu" || op == "silu" || op == "mish" || op == "hardswish";
}

/// Pools and views pick or mix what is there. Not max pools: they pad with -inf, though only where a window is empty.
bool passes_range_on(const graph_node& node) {
  auto op = operator_of(node);
  return is_view(node) || op == "clone" || op == "amax" || op == "amin" || op == "flip";
}

range within(const graph_index& graph, const graph_node& node, int depth) {
  auto op = operator_of(node);
  if (auto x = clamp_of(node)) {
    auto from = within(graph, x->of, depth - 1);
    return {std::clamp(from.low, x->to.low, x->to.high), std::clamp(from.high, x->to.low, x->to.high)};
  }
  if (auto x = scale_of(node)) return scaled(within(graph, x->of, depth - 1), x->factor);
  if (auto x = shift_of(node)) {
    auto from = within(graph, x->of, depth - 1);
    return {from.low + x->by, from.high + x->by};
  }
  if (passes_range_on(node)) return within(graph, tensor_in(node), depth - 1);
  auto known = ranges.find(op);
  if (known == ranges.end()) return {};
  auto result = known->second;
  if (stays_below_argument(op)) result.high = std::max(0.0, within(graph, tensor_in(node), depth - 1).high);
  return result;
}

range within(const graph_index& graph, std::string_view tensor, int depth) {
  const auto* node = graph.node(tensor);
  if (node == nullptr || depth == 0 || !is_real(node->output)) return {};
  return within(graph, *node, depth);
}

range bounds_of(const graph_node& node, std::string_view low, std::string_view high, range otherwise = {}) {
  return {number_in(node, low).value_or(otherwise.low), number_in(node, high).value_or(otherwise.high)};
}

/// Each argument beside the tensor is a plain number.
bool has_numbers_only(const graph_node& node) {
  return std::ranges::all_of(node.arguments, [&](const auto& x) {
    return x.name == "self" || number_in(node, x.name) || std::holds_alternative<messages::none_argument>(x.content);
  });
}

}  // namespace

range range_of(const graph_index& graph, std::string_view tensor) { return within(graph, tensor, deepest_range); }

std::optional<clamp> clamp_of(const graph_node& node) {
  auto op = operator_of(node);
  range to;
  if (op == "relu")
    to = {0, infinity};
  else if (op == "clamp" || op == "clamp_min" || op == "clamp_max")
    to = bounds_of(node, "min", "max");
  else if (op == "hardtanh")
    to = bounds_of(node, "min_val", "max_val", {-1, 1});
  else
    return std::nullopt;
  if (!is_real(node.output) || !has_numbers_only(node) || !(to.low <= to.high)) return std::nullopt;
  return clamp{std::string{tensor_in(node)}, to};
}

std::optional<clamp> clamp_of(const graph_index& graph, std::string_view tensor) {
  const auto* node = graph.node(tensor);
  return node ? clamp_of(*node) : std::nullopt;
}

}  // namespace dsl::algebra
