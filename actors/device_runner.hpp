#pragma once
// The runner of one device.

#include "actors/stage_runner.hpp"
#include "messages/protocols/device_runner.hpp"

namespace actors {

struct device_runner_options {
  messages::node_name node;
  messages::device_name device;
  std::uint32_t slots = 1;         ///< stages side by side in the shared lane
  std::uint32_t prefetch = 0;      ///< granted beyond that, at most 2
  bool uses_node_cores = true;     ///< a CPU device, or one whose judge needs the cores
  bool exclusive_on_node = false;  ///< timing needs the node's cores to be quiet: CPU devices
};

messages::device_runner_actor spawn_device_runner(caf::actor_system& system,
                                                  const messages::resource_taker_actor& resources,
                                                  const messages::progress_taker_actor& progress,
                                                  const device_runner_options& options, executor_factory make);

}  // namespace actors
