#include "dsl/map_layout.hpp"

#include <algorithm>
#include <numeric>

namespace dsl {

namespace {

using loop_numbers = std::vector<std::int64_t>;

/// Dimensions of the shape that the loop has, outermost first: by falling stride of the first result.
std::vector<std::size_t> loop_order(const pointwise& x) {
  std::vector<std::size_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t d) { return x.shape[d] == 1; });
  const auto& strides = x.results.front().spec.strides;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  return order;
}

/// @param strides for each dimension of the shape, 0 where repeated
map_tensor place_operand(const messages::tensor_spec& spec, const loop_numbers& strides, const shape& whole,
                         const std::vector<std::size_t>& order) {
  map_tensor tensor{spec, {}, loop_numbers(spec.shape.size(), 0), loop_numbers(order.size(), 0), motion::unit};
  auto offset = whole.size() - spec.shape.size();
  std::int64_t next = 1;
  for (auto i = order.size(); i-- > 0;) {
    if (order[i] < offset || spec.shape[order[i] - offset] == 1) continue;  // repeated
    tensor.dense_strides[order[i] - offset] = tensor.dense_steps[i] = next;
    next *= whole[order[i]];
  }
  for (auto d : order) tensor.steps.push_back(strides[d]);
  return tensor;
}

std::vector<map_tensor*> all_of(map_layout& x) {
  std::vector<map_tensor*> all;
  for (auto& tensor : x.operands) all.push_back(&tensor);
  for (auto& tensor : x.results) all.push_back(&tensor);
  return all;
}

/// Whether dimension i goes on where i + 1 ends, for every tensor.
bool can_join(map_layout& x, std::size_t i) {
  auto size = x.sizes[i + 1];
  return std::ranges::all_of(all_of(x), [&](const map_tensor* tensor) {
    return tensor->steps[i] == tensor->steps[i + 1] * size
           && tensor->dense_steps[i] == tensor->dense_steps[i + 1] * size;
  });
}

void join(map_layout& x) {
  for (auto i = x.sizes.size(); i-- > 1;) {
    if (!can_join(x, i - 1)) continue;
    auto at = static_cast<std::ptrdiff_t>(i - 1);
    x.sizes[i] *= x.sizes[i - 1];
    x.sizes.erase(x.sizes.begin() + at);
    for (auto* tensor : all_of(x)) {
      tensor->steps.erase(tensor->steps.begin() + at);
      tensor->dense_steps.erase(tensor->dense_steps.begin() + at);
    }
  }
}

motion motion_of(const map_tensor& x) {
  if (x.steps.back() == 1 && x.dense_steps.back() == 1) return motion::unit;
  return x.steps.back() == 0 && x.dense_steps.back() == 0 ? motion::repeated : motion::strided;
}

}  // namespace

map_layout lay_out(const pointwise& x) {
  map_layout layout;
  layout.count = elements(x.shape);
  auto order = layout.count == 0 ? std::vector<std::size_t>{} : loop_order(x);
  for (auto d : order) layout.sizes.push_back(x.shape[d]);
  for (const auto& operand : x.operands)
    layout.operands.push_back(place_operand(operand.spec, operand.strides, x.shape, order));
  for (const auto& result : x.results)
    layout.results.push_back(place_operand(result.spec, result.spec.strides, x.shape, order));
  join(layout);
  if (layout.sizes.empty()) layout.sizes.push_back(1);
  for (auto* tensor : all_of(layout)) {
    if (tensor->steps.empty()) tensor->steps.push_back(0), tensor->dense_steps.push_back(0);
    tensor->inner = motion_of(*tensor);
  }
  return layout;
}

messages::expected<void> covers_map(const graph_index& graph, std::span<const std::string> nodes) {
  auto x = make_expression(graph, nodes);
  if (!x) return tl::unexpected{x.error()};
  if (x->results.empty()) return messages::fail(messages::failure_code::bad_input, "nothing uses what these compute");
  return {};
}

}  // namespace dsl
