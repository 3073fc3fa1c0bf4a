#include "dsl/triton/nest_tiles.hpp"

#include <algorithm>

#include "dsl/knobs.hpp"
#include "dsl/nest_places.hpp"
#include "dsl/triton/index_text.hpp"

namespace dsl::triton {

namespace {

using messages::knob_values;

constexpr std::int64_t elements_a_thread = 16;
constexpr std::int64_t most_warps = 16;
constexpr std::int64_t most_parts = 512;     ///< joined by one program
constexpr std::int64_t fewest_columns = 32;  ///< side by side in memory: a whole transaction

std::int64_t processors(const messages::device_info& device) {
  auto found = device.limits.find("multiprocessors");
  return found == device.limits.end() ? 132 : std::max<std::int64_t>(static_cast<std::int64_t>(found->second), 1);
}

/// How many tensors a tile holds in registers.
std::int64_t held(const reduction_nest& x) {
  return std::max<std::int64_t>(
      std::ranges::count_if(x.operands,
                            [&](const nest_tensor& one) {
                              auto moves = [](auto step) { return step != 0; };
                              auto reduced = one.steps.begin() + static_cast<std::ptrdiff_t>(x.kept);
                              return !one.is_position() && std::any_of(one.steps.begin(), reduced, moves)
                                     && std::any_of(reduced, one.steps.end(), moves);
                            }),
      1);
}

/// As many rows as a tile has room for, as long as every processor gets some.
std::int64_t rows_of(const nest_tiles& x, std::int64_t room, std::int64_t enough) {
  auto rows = std::min(std::max<std::int64_t>(room, 1), power_of_two(std::max<std::int64_t>(x.kept, 1)));
  while (rows > 1 && x.kept / rows < enough) rows /= 2;
  return rows;
}

void choose_rows(nest_tiles& x, const knob_values& knobs, std::int64_t enough) {
  auto longest = integer_knob(knobs, "longest");
  for (auto more = held(x.nest); more > 2; --more) longest /= 2;
  auto padded = power_of_two(std::max<std::int64_t>(x.reduced, 1));
  x.whole = padded <= longest;
  x.block = x.whole ? padded : integer_knob(knobs, "block");
  x.rows = x.whole ? rows_of(x, integer_knob(knobs, "tile") / x.block, enough) : 1;
}

void choose_columns(nest_tiles& x, const knob_values& knobs, std::int64_t enough) {
  auto tile = integer_knob(knobs, "tile");
  auto padded = power_of_two(std::max<std::int64_t>(x.reduced, 1));
  auto inner = power_of_two(x.kept_sizes.empty() ? 1 : std::max<std::int64_t>(x.kept_sizes.back(), 1));
  x.whole =
      padded * std::min(fewest_columns, inner) <= std::max<std::int64_t>(tile, integer_knob(knobs, "longest") / 2);
  auto least = std::min(fewest_columns, inner);
  x.rows = std::max(least, x.whole ? rows_of(x, tile / padded, enough) : least * 2);
  x.block = x.whole ? padded : std::max<std::int64_t>(tile / x.rows, 1);
}

void divide(nest_tiles& x, const std::string& wish, std::int64_t processors) {
  if (wish == "off" || x.whole || x.nest.stages.empty() || x.reduced == 0) return;
  if (wish == "auto" && x.units() >= processors) return;
  auto wanted = std::max<std::int64_t>((4 * processors + x.units() - 1) / x.units(), 2);
  auto parts = std::min({wanted, x.blocks(), most_parts});
  x.length = (x.blocks() + parts - 1) / parts * x.block;
  x.parts = (x.reduced + x.length - 1) / x.length;
}

bool needs_wide_index(const nest_tiles& x) {
  auto most = std::max(x.units() * x.rows, (x.blocks() + 1) * x.block + x.length);
  most = std::max(most, x.kept * x.parts);
  for (const auto* all : {&x.nest.operands, &x.nest.each_kept.targets, &x.nest.each_element.targets})
    for (const auto& one : *all) most = std::max(most, reach_of(x.nest.sizes, one.steps));
  return most > INT32_MAX;
}

}  // namespace

nest_tiles tile(reduction_nest nest, const knob_values& knobs, const messages::device_info& device) {
  nest_tiles x;
  bool column = runs_down_columns(nest);
  auto split = nest.sizes.begin() + static_cast<std::ptrdiff_t>(nest.kept);
  x.kept_sizes = {nest.sizes.begin(), split};
  x.reduced_sizes = {split, nest.sizes.end()};
  x.kept = nest.kept_count();
  x.reduced = nest.reduced_count();
  x.nest = std::move(nest);
  auto count = processors(device);
  column ? choose_columns(x, knobs, 2 * count) : choose_rows(x, knobs, 2 * count);
  x.length = x.blocks() * x.block;
  divide(x, word_knob(knobs, "split"), count);
  auto warps = integer_knob(knobs, "warps");
  x.warps = warps > 0 ? warps : std::clamp<std::int64_t>(x.rows * x.block / (32 * elements_a_thread), 1, most_warps);
  x.wide_index = needs_wide_index(x);
  return x;
}

}  // namespace dsl::triton
