#pragma once
// What a node consists of; for the sources of `node` alone.

#include <memory>
#include <optional>

#include "actors/agent_directory.hpp"
#include "actors/coordinator.hpp"
#include "actors/supervisor.hpp"
#include "actors/system.hpp"
#include "actors/system_config.hpp"
#include "devices/worker/worker_hub.hpp"
#include "devices/worker/worker_sandbox.hpp"

namespace actors {

struct node::tree {
  explicit tree(blobs::blob_store s) : store(std::move(s)) {}

  blobs::blob_store store;
  std::shared_ptr<const dsl::registry> registry;
  std::shared_ptr<const dsl::language_set> languages;
  std::shared_ptr<devices::worker::worker_hub> hub;
  devices::worker::worker_sandbox sandbox;
  system_config config;
  std::optional<caf::actor_system> system;
  messages::monitor_actor monitor;
  messages::journal_actor journal;
  messages::scheduler_actor scheduler;
  agent_directory agents;
  messages::coordinator_actor coordinator;
  messages::supervisor_actor supervisor;

  ~tree();
  messages::expected<void> plant(const node_options& options);
  messages::expected<void> open_hub(const node_options& options);
  messages::expected<void> make_sandbox(const node_options& options);
  messages::expected<void> spawn_runners(const node_options& options);
  void spawn_coordinator(const node_options& node);
};

}  // namespace actors
