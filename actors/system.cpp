#include "actors/node_tree.hpp"

#include <unistd.h>
#include <algorithm>
#include <thread>
#include <vector>

#include "actors/compiler.hpp"
#include "actors/device_runner.hpp"
#include "actors/executors.hpp"
#include "actors/journal.hpp"
#include "actors/monitor.hpp"
#include "actors/scheduler.hpp"
#include "dsl/cpp/language.hpp"
#include "dsl/cuda_c/language.hpp"
#include "dsl/triton/language.hpp"

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

/// Longer than all attempts of a stage with their waits, prefetched ones too: the scheduler answers first.
std::chrono::milliseconds stage_limit(const configs::scheduler_options& x) {
  auto longest = std::chrono::milliseconds{0};
  for (std::size_t i = 0; i < enum_names(stage_kind{}).size(); ++i)
    longest = std::max(longest, x.run_limit.of(static_cast<stage_kind>(i)));
  return x.queue_limit + x.attempts * (x.prefetch + 2) * (longest + std::chrono::minutes{1});
}

std::map<stage_kind, std::chrono::milliseconds> limits_of(const configs::run_limits& x) {
  std::map<stage_kind, std::chrono::milliseconds> limits;
  for (std::size_t i = 0; i < enum_names(stage_kind{}).size(); ++i)
    limits[static_cast<stage_kind>(i)] = x.of(static_cast<stage_kind>(i));
  return limits;
}

monitor_options monitor_options_of(const node_options& options) {
  auto own = std::to_string(::getpid());
  auto events = control_folder(options.state_folder) / (own + ".events");
  monitor_options x;
  x.log = log_options{logs_folder(options.state_folder) / "kernelmesh.log", options.config.log.level};
  if (options.config.monitor.publish) x.endpoint = "ipc://" + events.string();
  x.on_event = options.on_event;
  return x;
}

}  // namespace

fs::path runs_folder(const fs::path& state) { return state / "runs"; }
fs::path blobs_folder(const fs::path& state) { return state / "blobs"; }
fs::path control_folder(const fs::path& state) { return state / "control"; }
fs::path tuned_folder(const fs::path& state) { return state / "tuned"; }
fs::path logs_folder(const fs::path& state) { return state / "logs"; }
fs::path calibrations_folder(const fs::path& state) { return state / "calibrations"; }

expected<std::shared_ptr<const dsl::registry>> load_registry(const configs::install_paths& install) {
  auto registry = dsl::registry::load(install.dsl());
  if (!registry) return tl::unexpected{registry.error()};
  return std::make_shared<const dsl::registry>(std::move(*registry));
}

expected<std::shared_ptr<const dsl::language_set>> load_languages(const dsl::registry& registry) {
  auto languages = dsl::language_set::make(registry, {dsl::cpp::maker(), dsl::cuda_c::maker(), dsl::triton::maker()});
  if (!languages) return tl::unexpected{languages.error()};
  return std::make_shared<const dsl::language_set>(std::move(*languages));
}

// -- planting the tree ------------------------------------------------------------------------------------------------

expected<std::unique_ptr<node>> node::start(const node_options& options) {
  auto store = blobs::blob_store::open(blobs_folder(options.state_folder));
  if (!store) return tl::unexpected{store.error()};
  auto x = std::make_unique<tree>(std::move(*store));
  if (auto done = x->plant(options); !done) return tl::unexpected{done.error()};
  return std::unique_ptr<node>{new node{std::move(x)}};
}

expected<void> node::tree::plant(const node_options& options) {
  auto known = load_registry(options.install);
  if (!known) return tl::unexpected{known.error()};
  registry = *known;
  auto with_recipes = load_languages(*registry);
  if (!with_recipes) return tl::unexpected{with_recipes.error()};
  languages = *with_recipes;
  const auto& state = options.state_folder;
  for (const auto& folder : {runs_folder(state), control_folder(state), logs_folder(state)})
    if (auto made = make_folder(folder); !made) return tl::unexpected{made.error()};
  if (auto opened = open_hub(options); !opened) return opened;
  system.emplace(config);
  monitor = spawn_monitor(*system, monitor_options_of(options));
  journal = spawn_journal(
      *system, {.folder = runs_folder(options.state_folder), .commit_window = options.config.journal.commit_window});
  logic::schedule_options schedule{.attempts = options.config.scheduler.attempts,
                                   .no_resource_grace = options.config.scheduler.grace};
  scheduler = spawn_scheduler(*system, monitor, schedule);
  if (auto spawned = spawn_runners(options); !spawned) return spawned;
  agents = spawn_agents(*system, options.config.agents, {languages, store, true, tuned_plans{tuned_folder(state)}});
  spawn_coordinator(options);
  return {};
}

expected<void> node::tree::open_hub(const node_options& options) {
  if (!needs_workers(options.config)) return {};
  auto opened =
      devices::worker::worker_hub::open({.folder = control_folder(options.state_folder), .guard = options.guard});
  if (!opened) return tl::unexpected{opened.error()};
  hub = *opened;
  return make_sandbox(options);
}

expected<void> node::tree::make_sandbox(const node_options& options) {
  const auto& wanted = options.config.sandbox;
  auto readable = wanted.readable_paths();
  auto made = devices::worker::make_sandbox({.guard = options.guard,
                                             .interpreter = options.python,
                                             .package_folder = options.install.worker(),
                                             .readable = {readable.begin(), readable.end()},
                                             .unsafe_none = wanted.level == configs::sandbox_need::unsafe_none});
  if (!made) return tl::unexpected{made.error()};
  sandbox = *std::move(made);
  return {};
}

expected<void> node::tree::spawn_runners(const node_options& options) {
  devices::worker::worker_python python{
      .interpreter = options.python, .package_folder = options.install.worker(), .sandbox = sandbox};
  executor_surroundings around{store, hub, python, registry, calibrations_folder(options.state_folder)};
  node_name here{options.config.node};
  std::vector<supervised> children;
  for (const auto& device : options.config.devices) {
    auto plan = plan_device(device, around);
    if (!plan) return tl::unexpected{plan.error()};
    device_runner_options runner{.node = here,
                                 .device = {device.name},
                                 .slots = plan->lanes.slots,
                                 .prefetch = plan->lanes.may_prefetch ? options.config.scheduler.prefetch : 0,
                                 .uses_node_cores = plan->lanes.uses_node_cores,
                                 .exclusive_on_node = plan->lanes.exclusive_on_node};
    children.push_back({device.name, [this, runner, make = plan->make](caf::actor_system& s) {
                          return spawn_device_runner(s, scheduler, monitor, runner, make);
                        }});
  }
  for (const auto& compiler : options.config.compilers) {
    auto make = plan_compiler(compiler, around);
    if (!make) return tl::unexpected{make.error()};
    auto slots = compiler.slots > 0 ? compiler.slots : std::max(1u, std::thread::hardware_concurrency());
    compiler_options runner{.node = here, .dsl = compiler.dsl, .slots = slots};
    children.push_back({"compiler of " + compiler.dsl, [this, runner, make = *make](caf::actor_system& s) {
                          return spawn_compiler(s, scheduler, monitor, runner, make);
                        }});
  }
  supervisor = spawn_supervisor(*system, monitor, std::move(children));
  return {};
}

void node::tree::spawn_coordinator(const node_options& node) {
  const auto& options = node.config.scheduler;
  coordinator_options x{
      .scheduler = scheduler, .journal = journal, .monitor = monitor, .agents = agents, .store = store};
  x.earlier = tuned_plans{tuned_folder(node.state_folder)};
  x.run_limits = limits_of(options.run_limit);
  x.queue_limit = options.queue_limit;
  x.limits.stage = stage_limit(options);
  coordinator = actors::spawn_coordinator(*system, x);
}

// -- its end ----------------------------------------------------------------------------------------------------------

/// Askers before those they ask; what an actor owns ends with it.
node::tree::~tree() {
  auto end = [](const auto& actor) {
    if (actor) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  };
  end(coordinator);
  agents.end_all();
  end(supervisor);
  end(scheduler);
  end(journal);
  end(monitor);
  destroy(coordinator);
  destroy(supervisor);
  destroy(scheduler);
  destroy(journal);
  destroy(monitor);
  system.reset();
}

}  // namespace actors
