#include "dsl/algebra/pools.hpp"

#include <algorithm>

namespace dsl::algebra {

namespace {

/// A number for each spatial dimension: one stands for all.
std::vector<std::int64_t> spread(std::vector<std::int64_t> xs, std::size_t count) {
  if (xs.size() == 1) xs.resize(count, xs[0]);
  return xs;
}

bool all(const std::vector<std::int64_t>& xs, std::int64_t x) {
  return std::ranges::all_of(xs, [&](auto y) { return y == x; });
}

bool is_plain(const messages::graph_node& node) {
  auto divisor = find_argument(node, "divisor_override");
  bool divides = divisor && !std::holds_alternative<messages::none_argument>(divisor->content);
  return all(integers_in(node, "padding"), 0) && all(integers_in(node, "dilation"), 1) && !flag_in(node, "ceil_mode")
         && !divides && node.result == 0;
}

}  // namespace

std::optional<pool> pool_of(const graph_index& graph, const messages::graph_node& node) {
  auto op = operator_of(node);
  bool average = op == "avg_pool2d" || op == "avg_pool3d";
  bool maximum = op == "max_pool2d_with_indices" || op == "max_pool3d_with_indices";
  const auto* from = graph.spec(tensor_in(node));
  if ((!average && !maximum) || from == nullptr || !is_real(node.output) || !is_plain(node)) return std::nullopt;
  std::size_t spatial = op.find("2d") != std::string_view::npos ? 2 : 3;
  auto window = spread(integers_in(node, "kernel_size"), spatial);
  auto stride = spread(integers_in(node, "stride"), spatial);
  if (stride.empty()) stride = window;
  if (window.size() != spatial || stride.size() != spatial || from->shape.size() < spatial) return std::nullopt;
  auto sensible = [](auto x) { return x >= 1 && x <= 1 << 20; };
  if (!std::ranges::all_of(window, sensible) || !std::ranges::all_of(stride, sensible)) return std::nullopt;
  return pool{average, std::string{tensor_in(node)}, std::move(window), std::move(stride)};
}

std::optional<pool> pool_of(const graph_index& graph, std::string_view tensor) {
  const auto* node = graph.node(tensor);
  return node ? pool_of(graph, *node) : std::nullopt;
}

std::string add_pool(builder& make, const pool& x, const messages::tensor_spec& output) {
  auto dimensions = std::to_string(x.window.size()) + "d";
  auto op = x.average ? "avg_pool" + dimensions : "max_pool" + dimensions + "_with_indices";
  return make.add(op, {value("self", x.of), integers("kernel_size", x.window), integers("stride", x.stride)}, output);
}

}  // namespace dsl::algebra
