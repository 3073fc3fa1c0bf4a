#pragma once
// Starts actors again that died: a node's compilers and device_runners.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "actors/caf.hpp"
#include "messages/protocols/monitor.hpp"
#include "messages/protocols/stage_runner.hpp"
#include "messages/protocols/supervisor.hpp"

namespace actors {

struct supervised {
  std::string name;  ///< for events
  std::function<messages::stage_runner_actor(caf::actor_system&)> spawn;
};

struct supervisor_options {
  std::chrono::milliseconds first_delay{100};  ///< before a restart; doubles with each one of the same child
  std::chrono::milliseconds longest_delay{30'000};
};

/// Spawns the children at once. Ends with them when it is sent an exit.
messages::supervisor_actor spawn_supervisor(caf::actor_system& system, const messages::monitor_actor& monitor,
                                            std::vector<supervised> children, const supervisor_options& options = {});

}  // namespace actors
