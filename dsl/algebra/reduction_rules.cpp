// Sums, means and pools in a row; dimensions of size 1.

#include <algorithm>

#include "dsl/algebra/pools.hpp"
#include "dsl/algebra/reductions.hpp"
#include "dsl/algebra/rules.hpp"

namespace dsl::algebra {

using messages::graph_node;
using found = std::optional<std::string>;

namespace {

/// The tensor as it is, in that shape; nothing where it has gaps.
found in_shape_of(const messages::tensor_spec& output, std::string_view tensor, builder& make) {
  const auto& spec = make.spec(tensor);
  if (spec.dtype != output.dtype) return std::nullopt;
  if (spec.shape == output.shape) return std::string{tensor};
  if (!is_contiguous(spec) || !is_contiguous(output)) return std::nullopt;
  return make.add("view", {value("self", tensor), integers("size", output.shape)}, output);
}

bool has_size_one(const messages::tensor_spec& spec, const std::vector<std::int64_t>& dims) {
  return std::ranges::all_of(dims, [&](auto dim) { return spec.shape[static_cast<std::size_t>(dim)] == 1; });
}

/// Sum, mean, logsumexp, maximum, ... of one element is that element.
found reduction_of_one(const site& at, builder& make) {
  auto dims = dims_reduced(at.graph, at.node);
  if (dims.empty() || !is_real(at.node.output)) return std::nullopt;
  auto tensor = tensor_in(at.node);
  return has_size_one(make.spec(tensor), dims) ? in_shape_of(at.node.output, tensor, make) : std::nullopt;
}

found scan_of_one(const site& at, builder& make) {
  auto op = operator_of(at.node);
  bool scans = (op == "cumsum" || op == "cumprod" || op == "logcumsumexp") && has_only(at.node, {"self", "dim"});
  bool flips = op == "flip";
  auto dims = integers_in(at.node, scans ? "dim" : "dims");
  if ((!scans && !flips) || dims.empty()) return std::nullopt;
  const auto& spec = make.spec(tensor_in(at.node));
  for (auto& dim : dims) {
    dim = dimension(dim, spec.shape.size());
    if (dim < 0 || dim >= static_cast<std::int64_t>(spec.shape.size())) return std::nullopt;
  }
  return has_size_one(spec, dims) ? found{tensor_in(at.node)} : std::nullopt;
}

/// Of the same kind, over other dimensions of the same tensor.
found reductions_in_a_row(const site& at, builder& make) {
  auto outer = reduction_of(at.graph, at.node);
  const auto* middle = outer ? at.graph.node(outer->of) : nullptr;
  auto inner = middle ? reduction_of(at.graph, *middle) : std::nullopt;
  if (!inner || inner->mean != outer->mean || inner->keep != outer->keep) return std::nullopt;
  if (!has_one_user(at.graph, outer->of)) return std::nullopt;
  auto both = *inner;
  for (auto dim : outer->dims) {
    if (!inner->keep)  // count dimensions as they were before
      for (auto gone : inner->dims) dim += gone <= dim ? 1 : 0;
    if (std::ranges::find(both.dims, dim) == both.dims.end()) both.dims.push_back(dim);
  }
  std::ranges::sort(both.dims);
  return add_reduction(make, both, &at.node.output);
}

/// Windows of the outer over windows of the inner are windows: for averages where these lie side by side, for maxima
/// also where they overlap. Not where there are gaps between them.
bool nest(const pool& inner, const pool& outer) {
  if (inner.average != outer.average || inner.window.size() != outer.window.size()) return false;
  for (std::size_t i = 0; i < inner.window.size(); ++i) {
    bool side_by_side = inner.window[i] == inner.stride[i] || outer.window[i] == 1;
    if (!side_by_side && (inner.average || inner.window[i] < inner.stride[i])) return false;
  }
  return true;
}

found pools_in_a_row(const site& at, builder& make) {
  auto outer = pool_of(at.graph, at.node);
  auto inner = outer ? pool_of(at.graph, outer->of) : std::nullopt;
  if (!inner || !nest(*inner, *outer) || !has_one_user(at.graph, outer->of)) return std::nullopt;
  auto both = *inner;
  for (std::size_t i = 0; i < both.window.size(); ++i) {
    both.window[i] += (outer->window[i] - 1) * inner->stride[i];
    both.stride[i] *= outer->stride[i];
  }
  return add_pool(make, both, at.node.output);
}

constexpr rule reduction_table[] = {
    {"reduction over a dimension of one element", reduction_of_one},
    {"scan or flip along a dimension of one element", scan_of_one},
    {"reductions in a row", reductions_in_a_row},
    {"pools in a row", pools_in_a_row},
};

}  // namespace

std::span<const rule> reduction_rules() { return reduction_table; }

}  // namespace dsl::algebra
