#include "actors/node_tree.hpp"

#include <algorithm>

#include "actors/exporter.hpp"
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

}  // namespace

fs::path runs_folder(const fs::path& state) { return state / "runs"; }
fs::path blobs_folder(const fs::path& state) { return state / "blobs"; }
fs::path control_folder(const fs::path& state) { return state / "control"; }
fs::path tuned_folder(const fs::path& state) { return state / "tuned"; }
fs::path logs_folder(const fs::path& state) { return state / "logs"; }
fs::path calibrations_folder(const fs::path& state) { return state / "calibrations"; }
fs::path certs_folder(const fs::path& state) { return state / "certs"; }

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
  if (auto opened = place.open(options); !opened) return opened;
  auto with_recipes = load_languages(*place.registry);
  if (!with_recipes) return tl::unexpected{with_recipes.error()};
  languages = *with_recipes;
  const auto& state = options.state_folder;
  system.emplace(config);
  monitor = spawn_monitor(*system, monitor_options_of(options));
  journal = spawn_journal(
      *system, {.folder = runs_folder(options.state_folder), .commit_window = options.config.journal.commit_window});
  logic::schedule_options schedule{.attempts = options.config.scheduler.attempts,
                                   .no_resource_grace = options.config.scheduler.grace};
  scheduler = spawn_scheduler(*system, monitor, schedule);
  if (auto opened = open_link(options); !opened) return opened;
  if (auto spawned = place.spawn_runners(*system, options, {scheduler, monitor, monitor}); !spawned) return spawned;
  agents =
      spawn_agents(*system, options.config.agents, {languages, place.store, true, tuned_plans{tuned_folder(state)}});
  spawn_coordinator(options);
  if (link) link->start();
  return {};
}

/// Where other nodes join; nothing where the config says none.
expected<void> node::tree::open_link(const node_options& options) {
  if (options.config.listen.address.empty()) return {};
  auto opened = open_gate(options);
  if (!opened) return tl::unexpected{opened.error()};
  link = std::move(opened->link);
  depot = spawn_blob_depot(*system, place.store);
  members = spawn_members(*system, {scheduler, monitor, link.get()});
  on_link = opened->on_event;
  on_link->tell = [to = members](const link_event& x) { caf::anon_send(to, x); };
  link->offer(members_name, [to = members](incoming_call x) { caf::anon_send(to, std::move(x)); });
  (void)export_actor(*system, *link, blob_depot_name, depot);
  return {};
}

void node::tree::spawn_coordinator(const node_options& node) {
  const auto& options = node.config.scheduler;
  coordinator_options x{
      .scheduler = scheduler, .journal = journal, .monitor = monitor, .agents = agents, .store = place.store};
  x.earlier = tuned_plans{tuned_folder(node.state_folder)};
  x.run_limits = limits_of(options.run_limit);
  x.queue_limit = options.queue_limit;
  x.limits.stage = stage_limit(options);
  coordinator = actors::spawn_coordinator(*system, x);
}

// -- its end ----------------------------------------------------------------------------------------------------------

/// Askers before those they ask; what an actor owns ends with it.
node::tree::~tree() {
  if (link) link->close();
  if (on_link) *on_link = {};  // no handle outlives the system
  auto end = [](const auto& actor) {
    if (actor) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  };
  end(coordinator);
  agents.end_all();
  end(place.supervisor);
  end(members);
  end(depot);
  end(scheduler);
  end(journal);
  end(monitor);
  destroy(coordinator);
  destroy(place.supervisor);
  destroy(members);
  destroy(depot);
  destroy(scheduler);
  destroy(journal);
  destroy(monitor);
  system.reset();
}

}  // namespace actors
