#include "dsl/triton/product_tiles.hpp"

#include <algorithm>

#include "dsl/knobs.hpp"
#include "dsl/triton/index_text.hpp"

namespace dsl::triton {

namespace {

using messages::dtype;

constexpr std::int64_t least_tile = 16;
/// Below that many multiplications splitting operands takes longer than it saves.
constexpr double worth_planes = 1 << 28;

std::int64_t up(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }
std::int64_t parts(std::int64_t x, std::int64_t of) { return std::max<std::int64_t>((x + of - 1) / of, 1); }

scheme scheme_of(const std::string& word) {
  return word == "planes" ? scheme::planes : word == "ieee" ? scheme::ieee : scheme::split;
}

void choose_scheme(product_tiles& t, const matmul& x, const product_operands& of, const std::string& wish) {
  bool small = static_cast<double>(x.batch * x.m) * static_cast<double>(x.n) * static_cast<double>(x.k) < worth_planes;
  // Tensor cores read tf32 along k only; measured on an H200: 36 Tflop/s otherwise, against 67 of bf16x6.
  auto narrow = of.along_k ? "tf32x3" : "bf16x6";
  auto word = wish != "auto" ? wish : small || x.m < 64 || x.n < 64 ? narrow : "planes";
  t.how = of.halves ? scheme::native : of.compute == dtype::float64 ? scheme::ieee : scheme_of(word);
  t.precision = t.how == scheme::split ? word : "ieee";
}

/// Smaller tiles where some would be empty, or where processors would have nothing to do.
void choose_tiles(product_tiles& t, const matmul& x, const messages::device_info& device) {
  auto fit = [](std::int64_t tile, std::int64_t size) {
    return std::clamp(power_of_two(std::max<std::int64_t>(size, 1)), least_tile, tile);
  };
  t.m = fit(t.m, x.m), t.n = fit(t.n, x.n), t.k = fit(t.k, x.k);
  auto found = device.limits.find("multiprocessors");
  auto wanted = found == device.limits.end() ? 132 : static_cast<std::int64_t>(found->second);
  while (x.batch * parts(x.m, t.m) * parts(x.n, t.n) < wanted && std::max(t.m, t.n) > 32) {
    (t.m >= t.n ? t.m : t.n) /= 2;
  }
  if (t.m * t.n <= 64 * 64) t.warps = std::min<std::int64_t>(t.warps, 4);
}

}  // namespace

product_tiles tile(const matmul& x, const product_operands& of, const messages::knob_values& knobs,
                   const messages::device_info& device) {
  product_tiles t;
  choose_scheme(t, x, of, word_knob(knobs, "scheme"));
  t.m = integer_knob(knobs, "block_m"), t.n = integer_knob(knobs, "block_n"), t.k = integer_knob(knobs, "block_k");
  t.warps = integer_knob(knobs, "warps"), t.stages = integer_knob(knobs, "stages");
  if (t.how == scheme::split) t.k = std::min<std::int64_t>(t.k, 32);
  if (t.how == scheme::ieee) t.m = std::min<std::int64_t>(t.m, 64), t.k = std::min<std::int64_t>(t.k, 16);
  choose_tiles(t, x, device);
  t.descriptors = t.how == scheme::planes && word_knob(knobs, "loads") == "descriptors";
  t.rows = up(x.m, t.m), t.columns = up(x.n, t.n), t.depth = up(x.k, t.k);
  t.programs = x.batch * parts(x.m, t.m) * parts(x.n, t.n);
  return t;
}

}  // namespace dsl::triton
