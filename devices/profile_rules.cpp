#include "devices/profile_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>

namespace devices {

using messages::kernel_figures;
using messages::profiled;
using messages::profiled_kernel;
using metric_map = std::map<std::string, double>;

namespace {

constexpr double busy_pct = 60, near_roofline = 0.5, shortest_call_ns = 10'000, line_bytes = 64;
constexpr double whole_waves = 4, last_wave_share = 0.25, many_divisions = 0.05;
constexpr double many_instructions_a_cycle = 2, few_instructions_a_cycle = 1;

/// A class and why.
struct bottleneck {
  std::string name;
  std::string reason;
};

template <class... Ts>
std::string words(const char* format, Ts... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

double value_of(const metric_map& x, const std::string& name) {
  auto found = x.find(name);
  return found == x.end() || !std::isfinite(found->second) ? 0 : found->second;
}

/// The largest of those named PREFIX...SUFFIX, by what stands between.
std::pair<std::string, double> largest_of(const metric_map& x, std::string_view prefix, std::string_view suffix) {
  std::pair<std::string, double> found;
  for (const auto& [name, value] : x)
    if (name.starts_with(prefix) && name.ends_with(suffix) && value > found.second)
      found = {name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()), value};
  return found;
}

// -- a kernel on a GPU ------------------------------------------------------------------------------------------------

bool was_counted_on_gpu(const kernel_figures& x) { return x.metrics.contains("sm_pct"); }

/// What may be wrong besides.
std::string spills_of(const metric_map& x) {
  auto sectors = value_of(x, "spill_sectors");
  return sectors > 0 ? words("; it spills registers: %.3g sectors of local memory", sectors) : "";
}

std::optional<bottleneck> used_up(const metric_map& x) {
  auto sm = value_of(x, "sm_pct"), dram = value_of(x, "dram_pct");
  auto l1 = value_of(x, "l1_pct"), l2 = value_of(x, "l2_pct");
  if (dram >= busy_pct && dram >= sm)
    return bottleneck{"memory", words("memory is busy to %.0f %%, the SMs to %.0f %%", dram, sm)};
  if (auto cache = std::max(l1, l2); cache >= busy_pct && cache >= sm)
    return bottleneck{"cache", words("%s is busy to %.0f %%, memory to %.0f %%",
                                     l1 >= l2 ? "L1 with shared memory" : "L2", cache, dram)};
  if (sm < busy_pct) return std::nullopt;
  auto [pipe, share] = largest_of(x, "pipe_", "_pct");
  return bottleneck{"compute", words("the SMs are busy to %.0f %%, of their pipes %s to %.0f %%", sm,
                                     pipe.empty() ? "none" : pipe.c_str(), share)};
}

/// Blocks that do not fill the device, at all or in the last wave.
std::optional<bottleneck> too_few_blocks(const metric_map& x) {
  auto waves = value_of(x, "waves");
  if (waves <= 0 || waves >= whole_waves) return std::nullopt;
  if (waves < 1)
    return bottleneck{"parallelism",
                      words("its %.0f blocks fill %.0f %% of the device", value_of(x, "blocks"), 100 * waves)};
  auto left = 1 - waves / std::ceil(waves);
  if (left < last_wave_share) return std::nullopt;
  return bottleneck{"parallelism", words("its blocks make %.2f waves, so that %.0f %% of the device wait at the end",
                                         waves, 100 * left)};
}

std::string limiter_of(const metric_map& x) {
  std::string name;
  double least = 0;
  for (auto one : {"registers", "shared", "warps", "blocks"})
    if (auto room = value_of(x, std::string{"limit_"} + one + "_blocks"); room > 0 && (name.empty() || room < least))
      name = one, least = room;
  return name;
}

bottleneck waits(const metric_map& x) {
  auto [stall, warps] = largest_of(x, "stall_", "");
  auto limiter = limiter_of(x);
  return {"latency",
          words("memory is busy to %.0f %%, the SMs to %.0f %%; warps wait for %s; occupancy is %.0f %%, its "
                "limit %s",
                value_of(x, "dram_pct"), value_of(x, "sm_pct"), stall.empty() ? "nothing known" : stall.c_str(),
                value_of(x, "occupancy_pct"), limiter.empty() ? "not known" : limiter.c_str())};
}

bottleneck of_kernel(const metric_map& x) {
  auto found = used_up(x);
  if (!found) found = too_few_blocks(x);
  if (!found) found = waits(x);
  found->reason += spills_of(x);
  return *found;
}

/// The longest first.
std::vector<profiled_kernel> kernels_on_gpu(const std::vector<kernel_figures>& all) {
  double total = 0;
  auto time_of = [](const auto& x) { return value_of(x.metrics, "time_ns") * x.launches; };
  for (const auto& x : all) total += time_of(x);
  std::vector<profiled_kernel> out;
  for (const auto& x : all) {
    auto found = of_kernel(x.metrics);
    out.push_back({x.name, x.launches, total > 0 ? time_of(x) / total : 0, found.name, found.reason, x.metrics});
  }
  std::ranges::stable_sort(out, std::greater{}, &profiled_kernel::time_share);
  return out;
}

bottleneck of_launches(const std::vector<profiled_kernel>& kernels, double call_ns) {
  double busy_ns = 0;
  for (const auto& x : kernels) busy_ns += value_of(x.metrics, "time_ns") * x.launches;
  if (busy_ns < call_ns / 2)
    return {"overhead", words("its kernels take %.1f us of a call's %.1f us", busy_ns / 1e3, call_ns / 1e3)};
  const auto& longest = kernels.front();
  if (kernels.size() == 1) return {longest.bottleneck, longest.reason};
  return {longest.bottleneck, longest.name.substr(0, 60) + ", "
                                  + words("%.0f %% of the time: ", 100 * longest.time_share) + longest.reason};
}

// -- a whole call by time and roofline --------------------------------------------------------------------------------

struct shares {
  double memory = 0, compute = 0;  // of a call's time
};

shares shares_of(double call_ns, const roofline& x) {
  auto share = [&](double amount, double rate) { return call_ns > 0 && rate > 0 ? amount / rate * 1e9 / call_ns : 0; };
  return {share(x.floor_bytes, x.copy_bytes_per_second), share(x.flops, x.fma_flops_per_second)};
}

/// More than its time: caches serve it, or the rate was measured on a busy machine.
std::string at_rate(const char* doing, double share, const char* rate) {
  if (share > 1) return words("%s what it must would take %.1f times its time at %s", doing, share, rate);
  return words("%s what it must takes %.0f %% of its time at %s", doing, 100 * share, rate);
}

std::optional<bottleneck> by_roofline(const messages::profile_figures& x, const shares& of) {
  if (x.call_ns <= 0) return std::nullopt;
  if (x.call_ns < shortest_call_ns)
    return bottleneck{"overhead", words("a call takes %.1f us, which starting it is a large part of", x.call_ns / 1e3)};
  if (of.memory >= near_roofline && of.memory >= of.compute) {
    bool cached = x.working_set_bytes > 0 && x.working_set_bytes <= x.cache_bytes;
    auto told = at_rate("moving", of.memory, "the bandwidth of memory");
    if (cached) return bottleneck{"cache", told + ", and all of it fits in a cache"};
    return bottleneck{"memory", told};
  }
  if (of.compute < near_roofline) return std::nullopt;
  return bottleneck{"compute", at_rate("computing", of.compute, "the device's rate")};
}

// -- counted on a CPU -------------------------------------------------------------------------------------------------

std::optional<bottleneck> by_counters(const messages::profile_figures& x, const metric_map& counted,
                                      const roofline& limits) {
  auto cycles = value_of(counted, "cycles"), instructions = value_of(counted, "instructions");
  auto missed = value_of(counted, "cache_misses") / std::max(1u, x.calls) * line_bytes;
  if (auto share = shares_of(x.call_ns, {.floor_bytes = missed, .copy_bytes_per_second = limits.copy_bytes_per_second});
      share.memory >= near_roofline)
    return bottleneck{"memory", words("what misses the last cache takes %.0f %% of its time at the bandwidth of memory",
                                      100 * share.memory)};
  if (cycles <= 0 || instructions <= 0) return std::nullopt;
  auto rate = instructions / cycles;
  if (rate >= many_instructions_a_cycle)
    return bottleneck{"compute", words("a core does %.1f instructions a cycle", rate)};
  if (rate < few_instructions_a_cycle)
    return bottleneck{"latency", words("a core does %.2f instructions a cycle", rate)};
  return std::nullopt;
}

// -- instructions of a library ----------------------------------------------------------------------------------------

bool is_mix(const metric_map& x) { return x.contains("vector"); }

bottleneck by_mix(const metric_map& x) {
  auto all = value_of(x, "instructions"), vectors = value_of(x, "vector"), scalars = value_of(x, "scalar_float");
  auto moved = value_of(x, "loads") + value_of(x, "stores");
  if (all <= 0) return {"unknown", "it has no instructions that could be read"};
  if (scalars > vectors)
    return {"compute",
            words("%.0f of %.0f instructions compute on single numbers, %.0f on vectors", scalars, all, vectors)};
  if (auto slow = value_of(x, "divisions"); slow >= many_divisions * all)
    return {"compute", words("%.0f of %.0f instructions divide or take roots", slow, all)};
  auto computing = vectors + scalars;
  if (moved > computing)
    return {"cache", words("%.0f of %.0f instructions load or store, %.0f compute", moved, all, computing)};
  return {"compute", words("%.0f of %.0f instructions compute, %.0f load or store", computing, all, moved)};
}

metric_map sum_of(const std::vector<kernel_figures>& all) {
  metric_map sum;
  for (const auto& x : all)
    for (const auto& [name, value] : x.metrics) sum[name] += value;
  return sum;
}

std::vector<profiled_kernel> functions_of(const std::vector<kernel_figures>& all) {
  std::vector<profiled_kernel> out;
  for (const auto& x : all) {
    auto found = is_mix(x.metrics) ? by_mix(x.metrics) : bottleneck{"unknown", ""};
    out.push_back({x.name, x.launches, 0, found.name, found.reason, x.metrics});
  }
  return out;
}

bottleneck without_gpu_counters(const messages::profile_figures& x, const roofline& limits, const shares& of) {
  if (auto found = by_roofline(x, of)) return *found;
  auto sum = sum_of(x.kernels);
  if (auto found = by_counters(x, sum, limits)) return *found;
  if (is_mix(sum)) return by_mix(sum);
  return {
      "unknown",
      words("at the roofline moving would take %.0f %% of its time, computing %.0f %%: what it waits for is not seen",
            100 * of.memory, 100 * of.compute)};
}

metric_map metrics_of(const messages::profile_figures& x, const roofline& limits, const shares& of) {
  metric_map all{{"call_ns", x.call_ns},
                 {"working_set_bytes", static_cast<double>(x.working_set_bytes)},
                 {"profiler_s", x.profiler_s}};
  if (limits.floor_bytes > 0) all["floor_bytes"] = limits.floor_bytes;
  if (limits.flops > 0) all["flops"] = limits.flops;
  if (of.memory > 0) all["roofline_memory_share"] = of.memory;
  if (of.compute > 0) all["roofline_compute_share"] = of.compute;
  return all;
}

std::string sentence_of(const std::vector<std::string>& reasons) {
  std::string all;
  for (const auto& x : reasons) all += (all.empty() ? "" : "; ") + x;
  return all;
}

}  // namespace

profiled conclude(const messages::profile_figures& figures, const roofline& limits) {
  auto of = shares_of(figures.call_ns, limits);
  profiled x{
      .metrics = metrics_of(figures, limits, of), .source = figures.source, .missing = sentence_of(figures.missing)};
  bottleneck found;
  if (!figures.kernels.empty() && std::ranges::all_of(figures.kernels, was_counted_on_gpu)) {
    x.kernels = kernels_on_gpu(figures.kernels);
    found = of_launches(x.kernels, figures.call_ns);
  } else {
    x.kernels = functions_of(figures.kernels);
    found = without_gpu_counters(figures, limits, of);
  }
  if (figures.fate.end != messages::candidate_end::finished && figures.call_ns <= 0)
    found = {"unknown", "it did not come to its end while it was profiled"};
  x.bottleneck = std::move(found.name);
  x.reason = std::move(found.reason);
  return x;
}

}  // namespace devices
