#include "dsl/algebra/reductions.hpp"

#include <algorithm>
#include <numeric>

namespace dsl::algebra {

using messages::graph_node;

namespace {

/// Of the argument "dim"; all dimensions where there is none. Ascending.
std::vector<std::int64_t> dims_of(const graph_node& node, std::size_t rank) {
  auto dims = integers_in(node, "dim");
  for (auto& dim : dims) dim = dimension(dim, rank);
  if (dims.empty()) {
    dims.resize(rank);
    std::iota(dims.begin(), dims.end(), 0);
  }
  std::ranges::sort(dims);
  return dims;
}

bool are_in(const std::vector<std::int64_t>& dims, std::size_t rank) {
  return std::ranges::all_of(dims, [&](auto x) { return x >= 0 && x < static_cast<std::int64_t>(rank); });
}

}  // namespace

std::vector<std::int64_t> dims_reduced(const graph_index& graph, const graph_node& node) {
  static const std::set<std::string_view> known{"sum", "mean", "logsumexp", "amax", "amin", "prod"};
  auto op = operator_of(node);
  bool picks = (op == "max" || op == "min") && node.overload == "dim" && node.result == 0;
  const auto* spec = graph.spec(tensor_in(node));
  if ((!picks && !known.contains(op)) || spec == nullptr) return {};
  if (!has_only(node, {"self", "dim", "keepdim"})) return {};
  auto dims = dims_of(node, spec->shape.size());
  return are_in(dims, spec->shape.size()) ? dims : std::vector<std::int64_t>{};
}

std::optional<reduction> reduction_of(const graph_index& graph, const graph_node& node) {
  auto op = operator_of(node);
  if ((op != "sum" && op != "mean") || !is_real(node.output)) return std::nullopt;
  auto dims = dims_reduced(graph, node);
  const auto* spec = graph.spec(tensor_in(node));
  if (dims.empty() || spec->dtype != node.output.dtype || elements(spec->shape) == 0) return std::nullopt;
  return reduction{op == "mean", std::string{tensor_in(node)}, std::move(dims), flag_in(node, "keepdim")};
}

shape reduced_shape(const shape& from, const reduction& x) {
  shape result;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!std::ranges::binary_search(x.dims, static_cast<std::int64_t>(i)))
      result.push_back(from[i]);
    else if (x.keep)
      result.push_back(1);
  }
  return result;
}

std::string add_reduction(builder& make, const reduction& x, const messages::tensor_spec* output) {
  const auto& from = make.spec(x.of);
  auto spec = output ? *output : contiguous(from.dtype, reduced_shape(from.shape, x));
  std::vector<messages::graph_argument> arguments{value("self", x.of), integers("dim", x.dims)};
  if (x.keep) arguments.push_back(flag("keepdim", true));
  return make.add(x.mean ? "mean.dim" : "sum.dim_IntList", std::move(arguments), std::move(spec));
}

}  // namespace dsl::algebra
