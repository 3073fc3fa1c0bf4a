#include "dsl/algebra/convolutions.hpp"

#include <algorithm>

namespace dsl::algebra {

namespace {

/// Towards minus infinity.
std::int64_t floor_div(std::int64_t x, std::int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0); }

bool fits(const convolution& x, const messages::tensor_spec* input, const messages::tensor_spec* weight,
          const messages::tensor_spec& output) {
  if (input == nullptr || weight == nullptr || !is_real(output)) return false;
  auto rank = output.shape.size();
  if (rank < 3 || rank > 5 || input->shape.size() != rank || weight->shape.size() != rank) return false;
  for (const auto* list : {&x.stride, &x.padding, &x.dilation, &x.output_padding})
    if (list->size() != rank - 2) return false;
  auto sensible = [](auto n) { return n >= 0 && n <= 1 << 20; };
  for (const auto* list : {&x.stride, &x.padding, &x.dilation, &weight->shape})
    if (!std::ranges::all_of(*list, sensible)) return false;
  return std::ranges::all_of(x.stride, [](auto s) { return s > 0; }) && x.groups > 0 && elements(output.shape) > 0
         && elements(input->shape) > 0 && elements(weight->shape) > 0;
}

}  // namespace

std::optional<convolution> convolution_of(const graph_index& graph, const messages::graph_node& node) {
  if (operator_of(node) != "convolution") return std::nullopt;
  auto groups = integers_in(node, "groups", {1});
  convolution x{std::string{tensor_in(node, "input")}, std::string{tensor_in(node, "weight")},
                std::string{tensor_in(node, "bias")},  integers_in(node, "stride"),
                integers_in(node, "padding"),          integers_in(node, "dilation"),
                integers_in(node, "output_padding"),   flag_in(node, "transposed"),
                groups.empty() ? 1 : groups[0]};
  if (!fits(x, graph.spec(x.input), graph.spec(x.weight), node.output)) return std::nullopt;
  return x;
}

std::string add_convolution(builder& make, const convolution& x, const messages::tensor_spec& output) {
  messages::graph_argument bias{"bias", messages::none_argument{}};
  if (!x.bias.empty()) bias = value("bias", x.bias);
  return make.add("convolution",
                  {value("input", x.input), value("weight", x.weight), bias, integers("stride", x.stride),
                   integers("padding", x.padding), integers("dilation", x.dilation), flag("transposed", x.transposed),
                   integers("output_padding", x.output_padding), integer("groups", x.groups)},
                  output);
}

std::string add_slice(builder& make, std::string_view of, std::size_t dim, std::int64_t begin, std::int64_t end) {
  auto spec = make.spec(of);
  if (begin == 0 && end == spec.shape[dim]) return std::string{of};
  spec.shape[dim] = end - begin;
  return make.add(
      "slice.Tensor",
      {value("self", of), integer("dim", static_cast<std::int64_t>(dim)), integer("start", begin), integer("end", end)},
      spec);
}

std::vector<tap_group> tap_groups(const convolution& x, std::size_t spatial_dim, std::int64_t input, std::int64_t taps,
                                  std::int64_t output) {
  std::vector<tap_group> groups;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    auto offset = tap * x.dilation[spatial_dim] - x.padding[spatial_dim];  // output = input * stride + offset
    auto begin = std::max<std::int64_t>(0, -floor_div(offset, x.stride[spatial_dim]));
    auto end = std::min(input, floor_div(output - 1 - offset, x.stride[spatial_dim]) + 1);
    if (end <= begin) continue;
    bool same = !groups.empty() && groups.back().begin == begin && groups.back().end == end;
    if (same && groups.back().behind_taps == tap)
      ++groups.back().behind_taps;
    else
      groups.push_back({begin, end, tap, tap + 1});
  }
  return groups;
}

}  // namespace dsl::algebra
