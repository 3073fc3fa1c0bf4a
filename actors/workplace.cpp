#include "actors/workplace.hpp"

#include <unistd.h>
#include <algorithm>
#include <thread>
#include <vector>

#include "actors/compiler.hpp"
#include "actors/device_runner.hpp"
#include "actors/executors.hpp"
#include "actors/monitor.hpp"

namespace actors {

using namespace messages;
namespace fs = std::filesystem;

namespace {

expected<fs::path> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(failure_code::storage, "cannot make the folder " + folder.string() + ": " + error.message());
  fs::permissions(folder, fs::perms::owner_all, error);
  return folder;
}

}  // namespace

monitor_options monitor_options_of(const node_options& options) {
  auto own = std::to_string(::getpid());
  auto events = control_folder(options.state_folder) / (own + ".events");
  monitor_options x;
  x.log = log_options{logs_folder(options.state_folder) / "kernelmesh.log", options.config.log.level};
  if (options.config.monitor.publish) x.endpoint = "ipc://" + events.string();
  x.on_event = options.on_event;
  return x;
}

expected<void> workplace::open(const node_options& options) {
  auto known = load_registry(options.install);
  if (!known) return tl::unexpected{known.error()};
  registry = *known;
  const auto& state = options.state_folder;
  for (const auto& folder : {runs_folder(state), control_folder(state), logs_folder(state)})
    if (auto made = make_folder(folder); !made) return tl::unexpected{made.error()};
  return open_hub(options);
}

expected<void> workplace::open_hub(const node_options& options) {
  if (!needs_workers(options.config)) return {};
  auto opened =
      devices::worker::worker_hub::open({.folder = control_folder(options.state_folder), .guard = options.guard});
  if (!opened) return tl::unexpected{opened.error()};
  hub_ = *opened;
  return make_sandbox(options);
}

expected<void> workplace::make_sandbox(const node_options& options) {
  const auto& wanted = options.config.sandbox;
  auto readable = wanted.readable_paths();
  auto made = devices::worker::make_sandbox({.guard = options.guard,
                                             .interpreter = options.python,
                                             .package_folder = options.install.worker(),
                                             .readable = {readable.begin(), readable.end()},
                                             .unsafe_none = wanted.level == configs::sandbox_need::unsafe_none});
  if (!made) return tl::unexpected{made.error()};
  sandbox_ = *std::move(made);
  return {};
}

expected<void> workplace::spawn_runners(caf::actor_system& system, const node_options& options,
                                        const runner_surroundings& around) {
  devices::worker::worker_python python{
      .interpreter = options.python, .package_folder = options.install.worker(), .sandbox = sandbox_};
  executor_surroundings tools{store, hub_, python, registry, calibrations_folder(options.state_folder)};
  node_name here{options.config.node};
  std::vector<supervised> children;
  for (const auto& device : options.config.devices) {
    auto plan = plan_device(device, tools);
    if (!plan) return tl::unexpected{plan.error()};
    device_runner_options runner{.node = here,
                                 .device = {device.name},
                                 .slots = plan->lanes.slots,
                                 .prefetch = plan->lanes.may_prefetch ? options.config.scheduler.prefetch : 0,
                                 .uses_node_cores = plan->lanes.uses_node_cores,
                                 .exclusive_on_node = plan->lanes.exclusive_on_node};
    children.push_back({device.name, [around, runner, make = plan->make](caf::actor_system& s) {
                          return spawn_device_runner(s, around.resources, around.progress, runner, make);
                        }});
  }
  for (const auto& compiler : options.config.compilers) {
    auto make = plan_compiler(compiler, tools);
    if (!make) return tl::unexpected{make.error()};
    auto slots = compiler.slots > 0 ? compiler.slots : std::max(1u, std::thread::hardware_concurrency());
    compiler_options runner{.node = here, .dsl = compiler.dsl, .slots = slots};
    children.push_back({"compiler of " + compiler.dsl, [around, runner, make = *make](caf::actor_system& s) {
                          return spawn_compiler(s, around.resources, around.progress, runner, make);
                        }});
  }
  supervisor = spawn_supervisor(system, around.monitor, std::move(children));
  return {};
}

}  // namespace actors
