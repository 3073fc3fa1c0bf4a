#include "dsl/window.hpp"

#include <algorithm>

#include "dsl/node_arguments.hpp"

namespace dsl {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;
using numbers = std::vector<std::int64_t>;

/// A list with one number for each dimension; one number stands for all.
std::optional<numbers> each(const messages::graph_node& node, std::string_view name, const numbers& otherwise,
                            std::size_t dimensions) {
  auto list = integers_argument(node, name, otherwise);
  if (list && list->size() == 1) list->resize(dimensions, list->front());
  return list && list->size() == dimensions ? list : std::nullopt;
}

bool in_range(const window_axis& x) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  auto within = [](std::int64_t value, std::int64_t low) { return value >= low && value <= most; };
  return within(x.size, 1) && within(x.stride, 1) && within(x.dilation, 1) && within(x.padding, 0)
         && x.size * x.dilation <= most;
}

/// Whether the output's size is what torch computes, rounded down or up.
bool fits(const window_axis& x, bool up) {
  auto reach = x.input + 2 * x.padding - x.dilation * (x.size - 1) - 1;
  if (reach < 0 && !up) return false;
  auto output = (reach + (up ? x.stride - 1 : 0)) / x.stride + 1;
  if (up && (output - 1) * x.stride >= x.input + x.padding) --output;
  return output == x.output;
}

expected<window_axes> read_axes(const graph_index& index, const messages::graph_node& node, std::size_t dimensions) {
  const auto& in = index.spec(*viewed(node))->shape;
  const auto& out = node.output.shape;
  if (in.size() != out.size() || in.size() < dimensions + 1 || in.size() > dimensions + 2) {
    return refuse(node, "has a shape that is not understood");
  }
  auto lead = in.size() - dimensions;
  if (!std::equal(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(lead), out.begin())) {
    return refuse(node, "changes other dimensions than its window's");
  }
  auto size = each(node, "kernel_size", {}, dimensions);
  auto stride = size ? each(node, "stride", *size, dimensions) : std::nullopt;
  auto padding = each(node, "padding", {0}, dimensions);
  auto dilation = each(node, "dilation", {1}, dimensions);
  auto up = flag_argument(node, "ceil_mode", false);
  if (!size || !stride || !padding || !dilation || !up) return refuse(node, "has an argument that is not understood");
  window_axes axes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    window_axis x{(*size)[i], (*stride)[i], (*padding)[i], (*dilation)[i], in[lead + i], out[lead + i]};
    if (!in_range(x) || !fits(x, *up)) return refuse(node, "has a window that is not understood");
    axes[3 - dimensions + i] = x;
  }
  return axes;
}

expected<window_axes> adaptive_axes(const graph_index& index, const messages::graph_node& node,
                                    std::size_t dimensions) {
  const auto& in = index.spec(*viewed(node))->shape;
  const auto& out = node.output.shape;
  if (in.size() != out.size() || in.size() < dimensions) return refuse(node, "has a shape that is not understood");
  window_axes axes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    auto input = in[in.size() - dimensions + i], output = out[in.size() - dimensions + i];
    if (output == 0 || input == 0 || input % output != 0) return refuse(node, "has windows of several sizes");
    axes[3 - dimensions + i] = {input / output, input / output, 0, 1, input, output};
  }
  return axes;
}

struct pool_operator {
  std::string_view op;
  pool_kind kind;
  std::size_t dimensions;
  bool adaptive;
};
constexpr std::array<pool_operator, 6> pool_operators{{
    {"aten.max_pool2d_with_indices", pool_kind::max, 2, false},
    {"aten.max_pool3d_with_indices", pool_kind::max, 3, false},
    {"aten.avg_pool2d", pool_kind::average, 2, false},
    {"aten.avg_pool3d", pool_kind::average, 3, false},
    {"aten._adaptive_avg_pool2d", pool_kind::average, 2, true},
    {"aten._adaptive_avg_pool3d", pool_kind::average, 3, true},
}};

}  // namespace

expected<pool> parse_pool(const graph_index& index, const messages::graph_node& node) {
  auto known = std::ranges::find(pool_operators, node.op, &pool_operator::op);
  if (known == pool_operators.end()) return refuse(node, "is no pool");
  if (node.result != 0) return refuse(node, "is the indices of a pool");
  if (!viewed(node)) return refuse(node, "reads no tensor");
  if (!is_floating(node.output.dtype)) return refuse(node, "is arithmetic in integers");
  auto axes =
      known->adaptive ? adaptive_axes(index, node, known->dimensions) : read_axes(index, node, known->dimensions);
  if (!axes) return tl::unexpected{axes.error()};
  auto counts = flag_argument(node, "count_include_pad", true);
  auto divisor = integer_argument(node, "divisor_override", 0);
  if (!counts || !divisor) return refuse(node, "has an argument that is not understood");
  pool x{known->kind, *axes, *counts, {}};
  if (*divisor != 0) x.divisor = *divisor;
  return x;
}

std::int64_t divisor_along(const window_axis& axis, std::int64_t o, bool counts_padding) {
  auto begin = o * axis.stride - axis.padding;
  auto end = std::min(begin + axis.size, axis.input + axis.padding);
  if (!counts_padding) begin = std::max<std::int64_t>(begin, 0), end = std::min(end, axis.input);
  return end - begin;
}

expected<depthwise> parse_depthwise(const graph_index& index, const messages::graph_node& node) {
  if (node.op != "aten.convolution") return refuse(node, "is no convolution");
  const auto* input = find_argument(node, "input");
  const auto* weight = find_argument(node, "weight");
  auto transposed = flag_argument(node, "transposed", false);
  auto groups = integer_argument(node, "groups", 1);
  if (!input || !value_name(*input) || !weight || !value_name(*weight) || !transposed || !groups) {
    return refuse(node, "has an argument that is not understood");
  }
  const auto& in = index.spec(*value_name(*input))->shape;
  const auto& taps = index.spec(*value_name(*weight))->shape;
  const auto& out = node.output.shape;
  if (*transposed) return refuse(node, "is transposed");
  if (in.size() < 3 || in.size() > 5 || taps.size() != in.size() || out.size() != in.size()) {
    return refuse(node, "has a shape that is not understood");
  }
  if (*groups != in[1] || in[1] == 0 || taps[1] != 1 || taps[0] % in[1] != 0 || out[1] != taps[0]) {
    return refuse(node, "is not depthwise");
  }
  if (out[0] != in[0] || !is_floating(node.output.dtype)) return refuse(node, "is not understood");
  auto dimensions = in.size() - 2;
  auto stride = each(node, "stride", {1}, dimensions);
  auto padding = each(node, "padding", {0}, dimensions);
  auto dilation = each(node, "dilation", {1}, dimensions);
  if (!stride || !padding || !dilation) return refuse(node, "has an argument that is not understood");
  depthwise x{{}, taps[0] / in[1], has_argument(node, "bias")};
  for (std::size_t i = 0; i < dimensions; ++i) {
    window_axis axis{taps[2 + i], (*stride)[i], (*padding)[i], (*dilation)[i], in[2 + i], out[2 + i]};
    if (!in_range(axis) || !fits(axis, false)) return refuse(node, "has a window that is not understood");
    x.axes[3 - dimensions + i] = axis;
  }
  return x;
}

}  // namespace dsl
