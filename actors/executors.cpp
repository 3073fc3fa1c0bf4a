#include "actors/executors.hpp"

#include <algorithm>

#include "devices/cpu/cpu_device.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/simulated/simulated_compiler.hpp"
#include "devices/simulated/simulated_device.hpp"
#include "devices/worker/compile_executor.hpp"

namespace actors {

namespace {

using namespace messages;
using devices::simulated::simulation_options;

simulation_options world_of(const configs::simulated_options& x) {
  simulation_options world;
  world.seed = x.seed;
  world.jitter = x.jitter;
  for (std::size_t i = 0; i < enum_names(stage_kind{}).size(); ++i) {
    auto kind = static_cast<stage_kind>(i);
    world.latency[kind] = std::chrono::microseconds{static_cast<std::int64_t>(1000 * x.latency_ms.of(kind))};
  }
  world.infrastructure_failure = x.failures.infrastructure;
  world.down = x.failures.down;
  world.hang = x.failures.hang;
  world.compile_error = x.failures.compile_error;
  world.wrong_values = x.failures.wrong_values;
  world.crash = x.failures.crash;
  return world;
}

/// An executor that could not be made: it says so and takes nothing.
class broken_executor : public devices::executor {
public:
  explicit broken_executor(failure reason) : reason_(std::move(reason)) {}
  void start(devices::executor_events events) override { events.down(reason_); }
  void run(const stage_request&, devices::stage_events events) override { events.ended(reason_); }
  void cancel(const stage_id&) override {}

private:
  failure reason_;
};

std::unique_ptr<devices::executor> or_broken(expected<std::unique_ptr<devices::executor>> x) {
  if (x) return std::move(*x);
  return std::make_unique<broken_executor>(std::move(x.error()));
}

/// What a judge needs, whatever it judges on.
devices::worker::judge_device_options judge_options_of(const configs::device_options& device,
                                                       const executor_surroundings& around) {
  devices::worker::judge_device_options options{.name = {device.name}, .python = around.python};
  options.calibrations = around.calibrations;
  for (const auto& x : around.languages->languages()) options.adapters[x.manifest.name] = x.adapter();
  return options;
}

expected<device_plan> plan_cpu(const configs::device_options& device, const executor_surroundings& around) {
  auto options = judge_options_of(device, around);
  auto make = [options, hub = around.hub, store = around.store](devices::timer&) {
    return or_broken(devices::cpu::make_cpu_device(hub, store, options));
  };
  return device_plan{make, {.slots = 1, .uses_node_cores = true, .exclusive_on_node = true, .may_prefetch = false}};
}

/// A call's time on a GPU holds the launches of its process too: timing wants the cores to be quiet as on a CPU.
expected<device_plan> plan_cuda(const configs::device_options& device, const executor_surroundings& around) {
  if (auto there = devices::cuda::check_here({device.name}); !there) return tl::unexpected{there.error()};
  auto options = judge_options_of(device, around);
  auto make = [options, hub = around.hub, store = around.store](devices::timer&) {
    return or_broken(devices::cuda::make_cuda_device(hub, store, options));
  };
  return device_plan{make, {.slots = 1, .uses_node_cores = true, .exclusive_on_node = true, .may_prefetch = false}};
}

expected<device_plan> plan_simulated(const configs::device_options& device, const executor_surroundings& around) {
  auto world = world_of(device.simulated.value_or(configs::simulated_options{}));
  auto make = [name = device.name, world, store = around.store](devices::timer& time) {
    return or_broken(devices::simulated::make_simulated_device(store, time, {.name = {name}, .world = world}));
  };
  return device_plan{make, {.slots = 2, .uses_node_cores = false, .exclusive_on_node = false}};
}

struct device_kind {
  expected<device_plan> (*plan)(const configs::device_options&, const executor_surroundings&);
  bool needs_workers;
  expected<void> (*look_for)(const messages::device_name&) = nullptr;  ///< of one that only some machines have
};

const std::map<std::string, device_kind>& kinds() {
  static const std::map<std::string, device_kind> all{{"cpu", {plan_cpu, true}},
                                                      {"cuda", {plan_cuda, true, devices::cuda::check_here}},
                                                      {"simulated", {plan_simulated, false}}};
  return all;
}

}  // namespace

std::vector<std::string> device_kinds() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

std::vector<std::string> devices_with_workers(const configs::system_config& config) {
  std::vector<std::string> names;
  for (const auto& x : config.devices) {
    auto kind = kinds().find(configs::kind_of(x.name));
    if (kind == kinds().end() || kind->second.needs_workers) names.push_back(x.name);
  }
  return names;
}

expected<void> check_presence(const std::string& device) {
  auto kind = kinds().find(configs::kind_of(device));
  if (kind == kinds().end() || !kind->second.look_for) return {};
  return kind->second.look_for({device});
}

bool is_named_by_commands(const std::string& device) {
  auto kind = kinds().find(configs::kind_of(device));
  return kind != kinds().end() && kind->second.look_for;
}

bool needs_workers(const configs::system_config& config) {
  auto real_compiler = [](const auto& x) { return !x.simulated; };
  return !devices_with_workers(config).empty() || std::ranges::any_of(config.compilers, real_compiler);
}

expected<device_plan> plan_device(const configs::device_options& device, const executor_surroundings& around) {
  auto kind = kinds().find(configs::kind_of(device.name));
  if (kind != kinds().end()) return kind->second.plan(device, around);
  std::string known;
  for (const auto& name : device_kinds()) known += (known.empty() ? "" : ", ") + name;
  return fail(failure_code::misconfigured, "there is no kind of device for \"" + device.name + "\"; known: " + known);
}

expected<executor_factory> plan_compiler(const configs::compiler_options& compiler,
                                         const executor_surroundings& around) {
  auto language = around.languages->find(compiler.dsl);
  if (!language)
    return fail(failure_code::misconfigured,
                "there is no DSL \"" + compiler.dsl + "\"; known: " + around.languages->names());
  if (compiler.simulated)
    return [dsl = compiler.dsl, world = world_of(*compiler.simulated), store = around.store](devices::timer& time) {
      return or_broken(devices::simulated::make_simulated_compiler(store, time, {.dsl = dsl, .world = world}));
    };
  devices::worker::compile_executor_options options{
      .dsl = compiler.dsl, .adapter = language->adapter(), .python = around.python, .side_by_side = compiler.slots};
  return [options, hub = around.hub, store = around.store](devices::timer&) {
    return or_broken(devices::worker::make_compile_executor(hub, store, options));
  };
}

}  // namespace actors
