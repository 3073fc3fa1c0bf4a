#pragma once
// What a node works with: its devices and compilers, an actor in front of each, and what their workers need.

#include <memory>

#include "actors/supervisor.hpp"
#include "actors/system.hpp"
#include "devices/worker/worker_hub.hpp"
#include "devices/worker/worker_sandbox.hpp"
#include "messages/protocols/scheduler.hpp"

namespace actors {

/// Who hears of the runners.
struct runner_surroundings {
  messages::resource_taker_actor resources;
  messages::progress_taker_actor progress;
  messages::monitor_actor monitor;
};

class workplace {
public:
  explicit workplace(blobs::blob_store s) : store(std::move(s)) {}

  /// Loads the languages, makes the folders and, where workers are needed, their hub and sandbox. Failures:
  /// misconfigured, storage.
  messages::expected<void> open(const node_options& options);

  /// Spawns them under `supervisor`, which ends them. The workplace outlives the system. Failures: misconfigured.
  messages::expected<void> spawn_runners(caf::actor_system& system, const node_options& options,
                                         const runner_surroundings& around);

  blobs::blob_store store;
  std::shared_ptr<const dsl::registry> registry;
  messages::supervisor_actor supervisor;

private:
  messages::expected<void> open_hub(const node_options& options);
  messages::expected<void> make_sandbox(const node_options& options);

  std::shared_ptr<devices::worker::worker_hub> hub_;
  devices::worker::worker_sandbox sandbox_;
};

/// Where a node logs and publishes.
struct monitor_options;
monitor_options monitor_options_of(const node_options& options);

}  // namespace actors
