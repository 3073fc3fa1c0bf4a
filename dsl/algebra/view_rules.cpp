// What only says differently where elements lie; copies; nodes that are there twice.

#include <algorithm>
#include <numeric>

#include "dsl/algebra/rules.hpp"

namespace dsl::algebra {

using messages::graph_node;
using found = std::optional<std::string>;

namespace {

using order = std::vector<std::int64_t>;

/// The other of a transpose's two dimensions, if it is one of them.
std::int64_t exchanged(const graph_node& node, std::int64_t dim, std::size_t rank) {
  auto first = integers_in(node, "dim0"), second = integers_in(node, "dim1");
  if (first.size() != 1 || second.size() != 1) return -1;
  auto a = dimension(first[0], rank), b = dimension(second[0], rank);
  return dim == a ? b : dim == b ? a : dim;
}

/// Of which dimension of its argument each of the result's is; nothing for other operators.
std::optional<order> order_of(const graph_node& node) {
  auto rank = node.output.shape.size();
  order result(rank);
  std::iota(result.begin(), result.end(), 0);
  auto op = operator_of(node);
  if (op == "permute") {
    result = integers_in(node, "dims");
    for (auto& dim : result) dim = dimension(dim, rank);
  } else if (op == "t") {
    std::ranges::reverse(result);
  } else if (op == "transpose") {
    for (auto& dim : result) dim = exchanged(node, dim, rank);
  } else {
    return std::nullopt;
  }
  auto sorted = result;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < rank; ++i)
    if (sorted.size() != rank || sorted[i] != static_cast<std::int64_t>(i)) return std::nullopt;
  return result;
}

found transposes_in_a_row(const site& at, builder& make) {
  auto outer = order_of(at.node);
  const auto* middle = at.graph.node(tensor_in(at.node));
  auto inner = outer && middle ? order_of(*middle) : std::nullopt;
  if (!inner || inner->size() != outer->size()) return std::nullopt;
  order both;
  for (auto dim : *outer) both.push_back(inner->at(static_cast<std::size_t>(dim)));
  if (std::ranges::is_sorted(both)) return std::string{tensor_in(*middle)};
  return make.add("permute", {value("self", tensor_in(*middle)), integers("dims", both)}, at.node.output);
}

/// Of a dense tensor: elements stay in their order.
bool is_reshape(const graph_node& node) {
  auto op = operator_of(node);
  return op == "view" || op == "_unsafe_view" || op == "unsqueeze" || op == "squeeze";
}

found reshapes_in_a_row(const site& at, builder& make) {
  const auto* inner = at.graph.node(tensor_in(at.node));
  if (!is_reshape(at.node) || inner == nullptr || !is_reshape(*inner)) return std::nullopt;
  auto base = tensor_in(*inner);
  const auto& from = make.spec(base);
  if (same_layout(from, at.node.output)) return std::string{base};
  if (!is_contiguous(from) || !is_contiguous(at.node.output)) return std::nullopt;
  return make.add("view", {value("self", base), integers("size", at.node.output.shape)}, at.node.output);
}

/// To the shape that it has already.
found no_change_of_shape(const site& at, builder& make) {
  bool fits = is_reshape(at.node) || operator_of(at.node) == "expand" || order_of(at.node);
  if (!fits || make.spec(tensor_in(at.node)).shape != at.node.output.shape) return std::nullopt;
  auto dims = order_of(at.node);
  if (dims && !std::ranges::is_sorted(*dims)) return std::nullopt;
  return std::string{tensor_in(at.node)};
}

found flipped_twice(const site& at, builder&) {
  if (operator_of(at.node) != "flip") return std::nullopt;
  const auto* inner = made_by(at.graph, tensor_in(at.node), "flip");
  auto dims = [&](const graph_node& node) {
    auto xs = integers_in(node, "dims");
    for (auto& x : xs) x = dimension(x, node.output.shape.size());
    std::ranges::sort(xs);
    return xs;
  };
  if (!inner || dims(*inner) != dims(at.node)) return std::nullopt;
  return std::string{tensor_in(*inner)};
}

/// A copy in the same layout, or a conversion to the type that it has.
found copy(const site& at, builder& make) {
  auto op = operator_of(at.node);
  if ((op != "clone" && op != "_to_copy") || tensor_in(at.node).empty()) return std::nullopt;
  return same_layout(make.spec(tensor_in(at.node)), at.node.output) ? found{tensor_in(at.node)} : std::nullopt;
}

/// An earlier node that computes the same.
found equal_node(const site& at, builder&) {
  auto used = tensors_used(at.node);
  if (used.empty()) return std::nullopt;
  for (const auto* other : at.graph.users(used.front())) {
    if (other == &at.node) return std::nullopt;
    bool same = other->op == at.node.op && other->overload == at.node.overload && other->result == at.node.result
                && other->arguments == at.node.arguments && other->output == at.node.output && !has_effect(*other);
    if (same) return other->name;
  }
  return std::nullopt;
}

constexpr rule view_table[] = {
    {"copy of a tensor", copy},
    {"change to the shape that is there", no_change_of_shape},
    {"reshapes in a row", reshapes_in_a_row},
    {"transposes in a row", transposes_in_a_row},
    {"flip of a flip", flipped_twice},
    {"computed twice", equal_node},
};

}  // namespace

std::span<const rule> view_rules() { return view_table; }

}  // namespace dsl::algebra
