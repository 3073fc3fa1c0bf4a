#include "actors/device_runner.hpp"

namespace actors {

messages::device_runner_actor spawn_device_runner(caf::actor_system& system,
                                                  const messages::resource_taker_actor& resources,
                                                  const messages::progress_taker_actor& progress,
                                                  const device_runner_options& options, executor_factory make) {
  using messages::stage_kind;
  stage_runner_options runner;
  runner.offer.name = {options.node.value + '/' + options.device.value};
  runner.offer.node = options.node;
  runner.offer.kinds = {stage_kind::trace, stage_kind::verify, stage_kind::time, stage_kind::profile};
  runner.offer.device = options.device;
  runner.offer.slots = options.slots;
  runner.offer.prefetch = options.prefetch;
  runner.offer.uses_node_cores = options.uses_node_cores;
  runner.offer.exclusive_on_node = options.exclusive_on_node;
  return spawn_stage_runner(system, resources, progress, runner, std::move(make));
}

}  // namespace actors
