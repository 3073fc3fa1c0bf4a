#include "dsl/cpp/nest_layout.hpp"

#include <algorithm>
#include <numeric>

#include "dsl/knobs.hpp"

namespace dsl::cpp {

namespace {

using sizes = std::vector<std::int64_t>;

/// Shorter rows are not worth a loop of their own where many lie side by side.
constexpr std::int64_t short_row = 16;

/// A column's elements should stay in the second-level cache from stage to stage.
constexpr std::int64_t cached_bytes = 1 << 20;

/// Below that a part of a unit is not worth handing to a thread.
constexpr std::int64_t least_part = 1 << 14;
constexpr std::int64_t few_units = 8;
constexpr std::int64_t parts_in_all = 64;

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

nest_place place(nest_tensor x, std::size_t inner) {
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

std::vector<nest_place> place_all(const std::vector<nest_tensor>& all, std::size_t inner) {
  std::vector<nest_place> places;
  for (const auto& x : all) places.push_back(place(x, inner));
  return places;
}

/// A dimension of size 1 for a loop that would have none.
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

/// Enough chains of additions to keep the units busy, few enough for the registers, and no more than a row has.
std::int64_t choose_lanes(const reduction_nest& x, std::int64_t wish) {
  std::size_t most = 1;
  for (const auto& stage : x.stages) most = std::max(most, stage.reductions.size());
  auto lanes = wish > 0 ? wish : most == 1 ? std::int64_t{64} : most == 2 ? std::int64_t{32} : std::int64_t{16};
  if (wish == 0 && x.compute != messages::dtype::float32) lanes = std::max<std::int64_t>(lanes / 2, 8);
  while (lanes > 16 && lanes > x.sizes.back()) lanes /= 2;
  return lanes;
}

/// One memory stream a vector register of lanes.
std::int64_t choose_streams(const reduction_nest& x, std::int64_t lanes) {
  return std::max<std::int64_t>(lanes / (x.compute == messages::dtype::float32 ? 16 : 8), 1);
}

std::int64_t choose_tile(const reduction_nest& x, std::int64_t wish) {
  auto inner = x.sizes[x.kept - 1];
  auto tile = wish;
  bool again = x.stages.size() > 1 || (!x.stages.empty() && !x.each_element.targets.empty());
  if (wish == 0) {
    tile = 1024;
    while (again && tile > 64 && tile * x.reduced_count() * element_bytes(x) > cached_bytes) tile /= 2;
  }
  while (tile > 16 && tile / 2 >= inner) tile /= 2;
  return tile;
}

std::int64_t choose_blocks(const nest_layout& x, const std::string& wish) {
  if (wish == "off" || x.units == 0 || x.count < 2) return 1;
  if (wish == "auto" && x.units >= few_units) return 1;
  auto parts = std::min(x.elements() / x.units / least_part, (parts_in_all + x.units - 1) / x.units);
  return std::clamp<std::int64_t>(parts, 1, x.count);
}

}  // namespace

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

nest_layout lay_out(reduction_nest x, const messages::knob_values& knobs) {
  nest_layout layout;
  layout.column = runs_down_columns(x);
  if (layout.column && x.kept == 0) add_dimension(x, 0), x.kept = 1;
  layout.width =
      layout.column ? choose_tile(x, integer_knob(knobs, "tile")) : choose_lanes(x, integer_knob(knobs, "lanes"));
  if (!layout.column) layout.streams = choose_streams(x, layout.width);
  layout.count = x.reduced_count();
  layout.units = x.kept_count();
  if (layout.column && layout.units > 0) {
    auto inner = x.sizes[x.kept - 1];
    layout.units = layout.units / inner * ((inner + layout.width - 1) / layout.width);
  }
  layout.nest = std::move(x);
  layout.blocks = choose_blocks(layout, word_knob(knobs, "split"));
  auto inner = layout.inner();
  layout.operands = place_all(layout.nest.operands, inner);
  layout.kept = place_all(layout.nest.each_kept.targets, inner);
  layout.element = place_all(layout.nest.each_element.targets, inner);
  layout.once = place_all(layout.nest.once.targets, inner);
  return layout;
}

}  // namespace dsl::cpp
