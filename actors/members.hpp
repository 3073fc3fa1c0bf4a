#pragma once
// The coordinator's side of membership: which nodes have joined, and what they lend to its scheduler.

#include "actors/caf.hpp"
#include "actors/links/link.hpp"
#include "messages/protocols/link.hpp"

namespace actors {

struct members_options {
  messages::scheduler_actor scheduler;
  messages::monitor_actor monitor;
  links::link* link = nullptr;  ///< outlives the actor
};

/// The name under which nodes find it.
inline const messages::actor_name members_name{"members"};

/// Takes what arrives under members_name straight from the link, so that a node's words and its end keep their order.
/// A node may only lend what bears its own name. When it is lost, all that it lent leaves the scheduler.
messages::members_actor spawn_members(caf::actor_system& system, const members_options& options);

}  // namespace actors
