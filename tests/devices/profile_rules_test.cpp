#include "devices/profile_rules.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace profile_rules_test {

using namespace devices;
using namespace messages;
using metrics = std::map<std::string, double>;

namespace {

struct kernel_row {
  const char* what;
  metrics counted;
  const char* bottleneck;
  const char* reason;
};

struct call_row {
  const char* what;
  profile_figures figures;
  roofline limits;
  const char* bottleneck;
  const char* reason;
};

/// A GPU's kernel of 50 us in 20 waves that uses up nothing.
metrics idle_kernel() {
  return {{"time_ns", 50'000},
          {"sm_pct", 20},
          {"dram_pct", 30},
          {"l1_pct", 25},
          {"l2_pct", 28},
          {"waves", 20},
          {"blocks", 5280},
          {"occupancy_pct", 48},
          {"stall_barrier", 2},
          {"stall_wait", 1},
          {"limit_registers_blocks", 4},
          {"limit_warps_blocks", 8}};
}

metrics with(metrics x, const metrics& changes) {
  for (const auto& [name, value] : changes) x[name] = value;
  return x;
}

profile_figures on_gpu(std::vector<kernel_figures> kernels, double call_ns = 60'000) {
  return {.source = "Nsight Compute", .kernels = std::move(kernels), .call_ns = call_ns};
}

constexpr roofline cpu{.floor_bytes = 8e6, .flops = 2e6, .copy_bytes_per_second = 16e9, .fma_flops_per_second = 100e9};

metrics mix(double instructions, double vector, double scalar, double moved, double divisions = 0) {
  return {{"instructions", instructions},
          {"vector", vector},
          {"scalar_float", scalar},
          {"loads", moved},
          {"divisions", divisions}};
}

}  // namespace

TEST_CASE("a kernel on a GPU is bound by what it has used up, else by what its warps wait for") {
  const std::vector<kernel_row> rows{
      {"memory", {{"dram_pct", 91}, {"sm_pct", 22}}, "memory", "memory is busy to 91 %, the SMs to 22 %"},
      {"memory and SMs alike", {{"dram_pct", 70}, {"sm_pct", 70}}, "memory", "memory is busy to 70 %"},
      {"L2", {{"l2_pct", 75}, {"dram_pct", 10}}, "cache", "L2 is busy to 75 %, memory to 10 %"},
      {"shared memory", {{"l1_pct", 88}, {"sm_pct", 60}}, "cache", "L1 with shared memory is busy to 88 %"},
      {"tensor cores",
       {{"sm_pct", 82}, {"dram_pct", 64}, {"pipe_fma_pct", 10}, {"pipe_tensor_pct", 82}},
       "compute",
       "the SMs are busy to 82 %, of their pipes tensor to 82 %"},
      {"few blocks", {{"waves", 0.25}, {"blocks", 33}}, "parallelism", "its 33 blocks fill 25 % of the device"},
      {"a tail",
       {{"waves", 1.1}},
       "parallelism",
       "its blocks make 1.10 waves, so that 45 % of the device wait at the end"},
      {"no tail to speak of", {{"waves", 3.9}}, "latency", "warps wait for barrier"},
      {"nothing",
       {},
       "latency",
       "memory is busy to 30 %, the SMs to 20 %; warps wait for barrier; occupancy is 48 %, its limit registers"},
      {"spills", {{"dram_pct", 91}, {"spill_sectors", 4096}}, "memory", "; it spills registers: 4.1e+03 sectors"},
  };
  for (const auto& row : rows) {
    auto found = conclude(on_gpu({{"relu", 1, with(idle_kernel(), row.counted)}}), {});
    CHECK_MESSAGE(found.bottleneck == row.bottleneck, row.what);
    CHECK_MESSAGE(found.reason.find(row.reason) != std::string::npos, row.what << ": " << found.reason);
    CHECK(found.kernels.size() == 1);
  }
}

TEST_CASE("of several kernels the one with most of the time decides, launches counted") {
  auto once = with(idle_kernel(), {{"time_ns", 30'000}, {"dram_pct", 90}});
  auto often = with(idle_kernel(), {{"time_ns", 10'000}, {"sm_pct", 90}});
  auto found = conclude(on_gpu({{"load", 1, once}, {"multiply", 6, often}}, 95'000), {});
  CHECK(found.bottleneck == "compute");
  CHECK(found.reason.starts_with("multiply, 67 % of the time: the SMs are busy"));
  REQUIRE(found.kernels.size() == 2);
  CHECK(found.kernels[0].name == "multiply");
  CHECK(found.kernels[0].time_share == doctest::Approx(2.0 / 3));
  CHECK(found.kernels[1].bottleneck == "memory");
}

TEST_CASE("a call whose kernels take less than half of it is bound by what stands around them") {
  auto found = conclude(on_gpu({{"relu", 1, with(idle_kernel(), {{"dram_pct", 90}, {"time_ns", 4'000}})}}, 20'000), {});
  CHECK(found.bottleneck == "overhead");
  CHECK(found.reason == "its kernels take 4.0 us of a call's 20.0 us");
}

TEST_CASE("what is faster than its roofline is not said to take more than all of its time") {
  auto fast = [](const roofline& x) { return conclude({.call_ns = 200'000}, x).reason; };
  CHECK(fast({.floor_bytes = 8e6, .copy_bytes_per_second = 16e9})
        == "moving what it must would take 2.5 times its time at the bandwidth of memory");
  CHECK(fast({.flops = 7e7, .fma_flops_per_second = 100e9})
        == "computing what it must would take 3.5 times its time at the device's rate");
}

TEST_CASE("without counters of a GPU time, bytes, the roofline and what else is known decide") {
  auto counted = [](metrics x) { return std::vector<kernel_figures>{{"all calls", 10, std::move(x)}}; };
  auto functions = [](metrics x) {
    return std::vector<kernel_figures>{{"f", 1, {{"vector", 0}}}, {"g", 1, std::move(x)}};
  };
  const std::vector<call_row> rows{
      {"short", {.call_ns = 3'000}, cpu, "overhead", "a call takes 3.0 us"},
      {"bytes", {.call_ns = 800'000}, cpu, "memory", "moving what it must takes 62 % of its time"},
      {"in a cache",
       {.call_ns = 800'000, .working_set_bytes = 8'000'000, .cache_bytes = 32'000'000},
       cpu,
       "cache",
       "all of it fits in a cache"},
      {"operations",
       {.call_ns = 800'000},
       {.floor_bytes = 8e6, .flops = 7e7, .copy_bytes_per_second = 16e9, .fma_flops_per_second = 100e9},
       "compute",
       "computing what it must takes 88 % of its time"},
      {"neither", {.call_ns = 4e6}, cpu, "unknown", "moving would take 12 % of its time, computing 0 %"},
      {"an unknown task", {.call_ns = 4e6}, {}, "unknown", "what it waits for is not seen"},
      {"misses",
       {.kernels = counted({{"instructions", 1e7}, {"cycles", 5e6}, {"cache_misses", 1e7}}),
        .call_ns = 4e6,
        .calls = 10},
       cpu,
       "memory",
       "what misses the last cache takes 100 % of its time"},
      {"many instructions",
       {.kernels = counted({{"instructions", 3e7}, {"cycles", 1e7}}), .call_ns = 4e6, .calls = 10},
       cpu,
       "compute",
       "a core does 3.0 instructions a cycle"},
      {"few instructions",
       {.kernels = counted({{"instructions", 3e6}, {"cycles", 1e7}}), .call_ns = 4e6, .calls = 10},
       cpu,
       "latency",
       "a core does 0.30 instructions a cycle"},
      {"single numbers",
       {.kernels = functions(mix(10, 1, 4, 2)), .call_ns = 4e6},
       cpu,
       "compute",
       "4 of 10 instructions compute on single numbers, 1 on vectors"},
      {"divisions",
       {.kernels = functions(mix(20, 8, 0, 3, 1)), .call_ns = 4e6},
       cpu,
       "compute",
       "1 of 20 instructions divide or take roots"},
      {"loads",
       {.kernels = functions(mix(40, 8, 0, 12)), .call_ns = 4e6},
       cpu,
       "cache",
       "12 of 40 instructions load or store, 8 compute"},
      {"vectors",
       {.kernels = functions(mix(40, 20, 0, 12)), .call_ns = 4e6},
       cpu,
       "compute",
       "20 of 40 instructions compute, 12 load or store"},
  };
  for (const auto& row : rows) {
    auto found = conclude(row.figures, row.limits);
    CHECK_MESSAGE(found.bottleneck == row.bottleneck, row.what);
    CHECK_MESSAGE(found.reason.find(row.reason) != std::string::npos, row.what << ": " << found.reason);
  }
}

TEST_CASE("figures of a whole call stand beside the class, with what was missing") {
  profile_figures x{
      .source = "objdump", .missing = {"perf is not there", "so is ncu"}, .call_ns = 1e6, .profiler_s = 0.5};
  auto found = conclude(x, cpu);
  CHECK(found.source == "objdump");
  CHECK(found.missing == "perf is not there; so is ncu");
  CHECK(found.metrics.at("call_ns") == 1e6);
  CHECK(found.metrics.at("roofline_memory_share") == doctest::Approx(0.5));
  CHECK(found.metrics.at("roofline_compute_share") == doctest::Approx(0.02));
  CHECK(!conclude({.call_ns = 1e6}, {}).metrics.contains("floor_bytes"));
}

TEST_CASE("a candidate that did not come to its end has no bottleneck") {
  profile_figures x{.fate = {.end = candidate_end::killed, .code = 11}};
  CHECK(conclude(x, cpu).bottleneck == "unknown");
  CHECK(conclude(x, cpu).reason == "it did not come to its end while it was profiled");
}

}  // namespace profile_rules_test
