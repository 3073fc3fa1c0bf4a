#pragma once
// The monitor of a node: counts events, publishes them (MessagePack over a ZeroMQ PUB socket), logs them, hands them
// on.

#include <functional>
#include <optional>
#include <string>

#include "actors/caf.hpp"
#include "actors/log.hpp"
#include "messages/protocols/monitor.hpp"

namespace actors {

struct monitor_options {
  std::optional<log_options> log;                        ///< absent: nothing is logged
  std::string endpoint;                                  ///< "ipc:///.../events.sock"; empty: nothing is published
  std::function<void(const messages::event&)> on_event;  ///< runs in the actor: quick, and posts only
};

/// A socket that cannot be bound and a log that cannot be written are reported as warning events; the node
/// works without.
messages::monitor_actor spawn_monitor(caf::actor_system& system, const monitor_options& options = {});

}  // namespace actors
