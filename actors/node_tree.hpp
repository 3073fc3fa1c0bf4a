#pragma once
// What a node consists of; for the sources of `node` alone.

#include <memory>
#include <optional>

#include "actors/agent_directory.hpp"
#include "actors/blob_depot.hpp"
#include "actors/coordinator.hpp"
#include "actors/gate.hpp"
#include "actors/members.hpp"
#include "actors/system.hpp"
#include "actors/system_config.hpp"
#include "actors/workplace.hpp"

namespace actors {

struct node::tree {
  explicit tree(blobs::blob_store s) : place(std::move(s)) {}

  workplace place;
  std::shared_ptr<const dsl::language_set> languages;
  std::unique_ptr<links::link> link;        // if nodes may join
  std::shared_ptr<event_outlet> on_link{};  // whom it tells
  system_config config;
  std::optional<caf::actor_system> system;
  messages::monitor_actor monitor;
  messages::journal_actor journal;
  messages::scheduler_actor scheduler;
  agent_directory agents;
  messages::coordinator_actor coordinator;
  messages::members_actor members;
  messages::blob_depot_actor depot;

  ~tree();
  messages::expected<void> plant(const node_options& options);
  messages::expected<void> open_link(const node_options& options);
  void spawn_coordinator(const node_options& node);
};

}  // namespace actors
