#include "dsl/cpp/nest_layout.hpp"

#include <algorithm>

#include "dsl/knobs.hpp"

namespace dsl::cpp {

namespace {

/// A column's elements should stay in the second-level cache from stage to stage.
constexpr std::int64_t cached_bytes = 1 << 20;

/// Below that a part of a unit is not worth handing to a thread.
constexpr std::int64_t least_part = 1 << 14;
constexpr std::int64_t few_units = 8;
constexpr std::int64_t parts_in_all = 64;

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
