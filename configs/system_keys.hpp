#pragma once
// The keys of a system config with their ranges; goes with system_config.hpp.

#include <algorithm>
#include <limits>
#include <set>

#include "configs/constraints.hpp"
#include "configs/llm_keys.hpp"
#include "configs/system_config.hpp"

namespace configs {

constexpr in_range any_seed{std::uint64_t{0}, std::uint64_t{std::numeric_limits<std::int64_t>::max()}};
constexpr in_range probability{0.0, 1.0};

constexpr auto durations(std::chrono::milliseconds low, std::chrono::milliseconds high) { return in_range{low, high}; }

/// The first name that is in the list twice; empty if none is.
template <class T>
std::string repeated(const std::vector<T>& list, std::string T::*name) {
  std::set<std::string> seen;
  for (auto& x : list)
    if (!seen.insert(x.*name).second) return x.*name;
  return {};
}

void simulated_latency::keys(auto& k) {
  constexpr in_range milliseconds{0.0, 3'600'000.0};
  k("trace", trace, milliseconds);
  k("static", static_check, milliseconds);
  k("compile", compile, milliseconds);
  k("verify", verify, milliseconds);
  k("time", time, milliseconds);
  k("profile", profile, milliseconds);
}

void simulated_failures::keys(auto& k) {
  k("infrastructure", infrastructure, probability);
  k("down", down, probability);
  k("hang", hang, probability);
  k("compile_error", compile_error, probability);
  k("wrong_values", wrong_values, probability);
  k("crash", crash, probability);
  k.check(infrastructure + down + hang <= 1, "infrastructure",
          "makes, with \"down\" and \"hang\", more than 1; lower one of them");
}

void simulated_options::keys(auto& k) {
  k("latency_ms", latency_ms);
  k("jitter", jitter, probability);
  k("failures", failures);
  k("seed", seed, any_seed);
}

void worker_options::keys(auto& k) { k("python", python); }

void sandbox_options::keys(auto& k) {
  k("level", level);
  k("readable", readable);
  auto paths = readable_paths();
  k.check(std::ranges::all_of(paths, [](const auto& x) { return x.starts_with('/'); }), "readable",
          "has a path that does not start with \"/\"; name absolute paths, with \":\" between them");
}

void device_options::keys(auto& k) {
  k.required("name", name, device_form{.kinds = k.known().device_kinds});
  k("simulated", simulated);
  k.check(!simulated || kind_of(name) == "simulated", "simulated",
          "is of simulated devices only, and this is " + in_quotes(name) + "; remove it");
}

void compiler_options::keys(auto& k) {
  k.required("dsl", dsl, short_name{}, one_of{k.known().dsls});
  k("slots", slots, in_range{0, 1024});
  k("simulated", simulated);
}

void agent_options::keys(auto& k) {
  k("implementations", implementations, short_name{}, one_of{k.known().implementations});
  k("pool", pool, in_range{1, 256});
}

void agents_options::keys(auto& k) {
  k("planner", planner);
  k("coder", coder);
  k("debugger", debugger);
}

void run_limits::keys(auto& k) {
  using namespace std::chrono_literals;
  constexpr auto limit = durations(100ms, 24h);
  k("trace", trace, limit);
  k("static", static_check, limit);
  k("compile", compile, limit);
  k("verify", verify, limit);
  k("time", time, limit);
  k("profile", profile, limit);
}

void scheduler_options::keys(auto& k) {
  using namespace std::chrono_literals;
  k("attempts", attempts, in_range{1, 20});
  k("queue_limit", queue_limit, durations(1s, 720h));
  k("run_limit", run_limit);
  k("grace", grace, durations(0ms, 24h));
  k("prefetch", prefetch, in_range{0, 2});
}

void listen_options::keys(auto& k) {
  using namespace std::chrono_literals;
  k("address", address);
  k("heartbeat", heartbeat, durations(50ms, 5min));
  k("silence", silence, durations(200ms, 1h));
  k.check(silence >= 2 * heartbeat, "silence", "is less than two heartbeats; give more, or a shorter heartbeat");
}

void journal_options::keys(auto& k) {
  using namespace std::chrono_literals;
  k("commit_window", commit_window, durations(0ms, 1s));
}

void monitor_options::keys(auto& k) { k("publish", publish); }
void log_options::keys(auto& k) { k("level", level); }

void system_config::keys(auto& k) {
  k("node", node, short_name{});
  k("state_folder", state_folder);
  k("worker", worker);
  k("sandbox", sandbox);
  k("devices", devices, may_be_empty{});
  k("compilers", compilers, may_be_empty{});
  k("agents", agents);
  k("llm", llm);
  k("scheduler", scheduler);
  k("listen", listen);
  k("journal", journal);
  k("monitor", monitor);
  k("log", log);
  auto device = repeated(devices, &device_options::name);
  k.check(device.empty(), "devices", "names " + in_quotes(device) + " twice; remove one of them");
  k.check(!devices.empty() || !compilers.empty() || !listen.address.empty(), "devices",
          "is empty as \"compilers\" is, and no node can bring any; name some, or say in \"listen\" where nodes join");
  auto dsl = repeated(compilers, &compiler_options::dsl);
  k.check(dsl.empty(), "compilers", "names " + in_quotes(dsl) + " twice; remove one of them");
}

}  // namespace configs
