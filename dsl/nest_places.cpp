#include "dsl/nest_places.hpp"

#include <algorithm>
#include <numeric>

namespace dsl {

namespace {

/// Shorter rows are not worth a loop of their own where many lie side by side.
constexpr std::int64_t short_row = 16;

std::size_t moving(const nest_tensor& x) {
  return static_cast<std::size_t>(std::ranges::count_if(x.steps, [](auto step) { return step != 0; }));
}

/// The tensor along most dimensions.
const nest_tensor* leading(const reduction_nest& x) {
  const nest_tensor* lead = nullptr;
  auto look = [&](const std::vector<nest_tensor>& all) {
    for (const auto& one : all) {
      if (!one.is_position() && (!lead || moving(one) > moving(*lead))) lead = &one;
    }
  };
  look(x.operands);
  look(x.each_element.targets);
  look(x.each_kept.targets);
  return lead;
}

/// Whether no two elements share memory.
bool is_separate(const messages::tensor_spec& x) {
  std::vector<std::size_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t d) { return x.strides[d]; });
  std::int64_t reach = 0;
  for (auto d : order) {
    if (x.shape[d] <= 1) continue;
    if (x.strides[d] <= reach) return false;
    reach += (x.shape[d] - 1) * x.strides[d];
  }
  return true;
}

nest_place place_tensor(nest_tensor x, std::size_t inner) {
  nest_place made;
  made.dense_strides = x.spec.strides;
  if (is_separate(x.spec)) {
    x.dense_steps = x.steps;
  } else {
    made.dense_strides = contiguous_strides(x.spec.shape);
  }
  bool unit = x.steps[inner] == 1 && x.dense_steps[inner] == 1;
  bool still = x.steps[inner] == 0 && x.dense_steps[inner] == 0;
  made.inner = unit ? motion::unit : still ? motion::repeated : motion::strided;
  made.tensor = std::move(x);
  return made;
}

}  // namespace

std::vector<nest_place> place_all(const std::vector<nest_tensor>& all, std::size_t inner) {
  std::vector<nest_place> places;
  for (const auto& x : all) places.push_back(place_tensor(x, inner));
  return places;
}

void add_dimension(reduction_nest& x, std::size_t at) {
  auto offset = static_cast<std::ptrdiff_t>(at);
  x.sizes.insert(x.sizes.begin() + offset, 1);
  auto widen = [&](std::vector<nest_tensor>& all) {
    for (auto& one : all) {
      one.steps.insert(one.steps.begin() + offset, 0);
      one.dense_steps.insert(one.dense_steps.begin() + offset, 0);
    }
  };
  for (auto* all : {&x.operands, &x.each_kept.targets, &x.each_element.targets, &x.once.targets}) widen(*all);
}

std::int64_t element_bytes(const reduction_nest& x) {
  std::int64_t bytes = 0;
  for (const auto& one : x.operands) {
    if (moving(one) == x.sizes.size()) bytes += static_cast<std::int64_t>(messages::bytes_of(one.spec.dtype));
  }
  return std::max<std::int64_t>(bytes, 1);
}

bool runs_down_columns(const reduction_nest& x) {
  if (x.kept == x.sizes.size()) return true;
  if (x.kept == 0) return false;
  auto kept = x.kept - 1;
  auto last = x.sizes.size() - 1;
  if (x.sizes[last] < short_row && x.sizes[kept] >= short_row) return true;
  const auto* lead = leading(x);
  if (!lead || lead->steps[kept] == 0) return false;
  return lead->steps[last] == 0 || lead->steps[kept] < lead->steps[last];
}

nest_interface interface_of(const reduction_nest& x, const graph_index& graph) {
  nest_interface found;
  auto read = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(found.reads, name) == found.reads.end()) found.reads.push_back(name);
  };
  for (const auto& operand : x.operands) read(operand.name);
  for (const auto* results : {&x.each_kept, &x.each_element, &x.once}) {
    for (const auto& target : results->targets) {
      if (graph.value(target.name)) {
        read(target.name);
      } else {
        found.writes.push_back(target.name);
      }
    }
  }
  return found;
}

}  // namespace dsl
