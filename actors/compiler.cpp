#include "actors/compiler.hpp"

namespace actors {

messages::compiler_actor spawn_compiler(caf::actor_system& system, const messages::scheduler_actor& scheduler,
                                        const messages::monitor_actor& monitor, const compiler_options& options,
                                        executor_factory make) {
  stage_runner_options runner;
  runner.offer.name = {options.node.value + "/compiler." + options.dsl};
  runner.offer.node = options.node;
  runner.offer.kinds = {messages::stage_kind::static_check, messages::stage_kind::compile};
  runner.offer.dsls = {options.dsl};
  runner.offer.slots = options.slots;
  runner.cached_results = options.cached_results;
  return spawn_stage_runner(system, scheduler, monitor, runner, std::move(make));
}

}  // namespace actors
