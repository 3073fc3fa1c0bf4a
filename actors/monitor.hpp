#pragma once
// The monitor of a node: counts events, publishes them (MessagePack over a ZeroMQ PUB socket), hands them on.

#include <functional>
#include <string>

#include "actors/caf.hpp"
#include "messages/protocols/monitor.hpp"

namespace actors {

struct monitor_options {
  std::string endpoint;                                  ///< "ipc:///.../events.sock"; empty: nothing is published
  std::function<void(const messages::event&)> on_event;  ///< runs in the actor: quick, and posts only
};

/// A socket that cannot be bound is reported as a warning event; the node works without.
messages::monitor_actor spawn_monitor(caf::actor_system& system, const monitor_options& options = {});

}  // namespace actors
