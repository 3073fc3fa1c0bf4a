#pragma once
// Landscapes made up from a seed: a tiled matrix product on a chip of which nothing is known but that it has cores,
// scratch memory, registers, a clock and a bus. They are what constants of the search may be chosen on, and they have
// what real ones have: settings that can't run, cliffs, whole waves, knobs that pay only together.

#include <algorithm>
#include <cmath>
#include <random>

#include "actors/logic/knob_search.hpp"

struct tiled_landscape {
  messages::knob_space space;
  double rows, columns, depth;                // of the product
  double cores, scratch, intensity, latency;  // of the chip
  double warps_wanted, area_wanted, shape_cost, spill_cost;
  std::uint64_t seed;

  /// 0: it can't run.
  double cost(const actors::logic::setting& x) const {
    auto value = [&](std::size_t k) { return static_cast<double>(std::get<std::int64_t>(space.axes[k].values[x[k]])); };
    double m = value(0), n = value(1), k = value(2), stages = value(3), warps = value(4);
    auto memory = stages * (m + n) * k * 2, registers = m * n / (warps * 32) + 30;
    if (memory > scratch) return 0;
    auto held = 65536 / (std::min(registers, 255.0) * warps * 32);
    auto resident = std::floor(std::min({scratch / memory, held, 64 / warps, 16.0}));
    if (resident < 1) return 0;
    auto waves = std::ceil(std::ceil(rows / m) * std::ceil(columns / n) / cores);
    resident = std::min(resident, waves);
    auto off_shape = std::log2(m * n / warps / area_wanted), spilled = std::max(0.0, registers / 255 - 1);
    auto slow = std::max(1.0, warps_wanted / (warps * resident)) * (1 + shape_cost * off_shape * off_shape);
    auto work = m * n * k * slow * (1 + spill_cost * spilled), traffic = (m + n) * k * intensity;
    auto wait = 16 * latency / std::max(1.0, (stages - 1) * resident);
    auto step = std::max(work, traffic) + 0.15 * std::min(work, traffic) + wait;
    return waves * (std::ceil(depth / k) * step + 32 * latency * stages + m * n * 16) * oddity(x);
  }

private:
  /// What nothing explains: 1 % up or down.
  double oddity(const actors::logic::setting& x) const {
    auto mixed = seed;
    for (auto i : x) mixed = (mixed * 31 + i + 1) * 0x9e3779b97f4a7c15u;
    return 1 + 0.02 * (static_cast<double>(mixed >> 11) * 0x1p-53 - 0.5);
  }
};

inline tiled_landscape made_up(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  auto between = [&](double a, double b) { return a + (b - a) * static_cast<double>(random() >> 11) * 0x1p-53; };
  auto power = [&](double a, double b) { return std::exp2(std::floor(between(a, b + 1))); };
  messages::knob_space space;
  auto add = [&](const char* name, std::vector<messages::knob_value> values) {
    space.axes.push_back({name, values, true, values.front()});
  };
  auto numbers = [](std::initializer_list<std::int64_t> x) {
    return std::vector<messages::knob_value>(x.begin(), x.end());
  };
  for (auto name : {"tile_m", "tile_n"}) add(name, numbers({32, 64, 128, 256}));
  add("tile_k", numbers({32, 64, 128}));
  add("stages", numbers({2, 3, 4}));
  add("warps", numbers({4, 8}));
  tiled_landscape x{space, power(8, 12), power(9, 13), power(8, 13), 20 * std::floor(between(1, 8)), 0, 0, 0, 0, 0, 0,
                    0,     seed};
  x.scratch = 1024 * std::floor(between(64, 228));
  x.intensity = std::exp2(between(5, 8));
  x.latency = std::exp2(between(8, 13));
  x.warps_wanted = power(1, 4);
  x.area_wanted = std::exp2(between(9, 13));
  x.shape_cost = between(0, 0.2);
  x.spill_cost = between(0.5, 4);
  return x;
}
