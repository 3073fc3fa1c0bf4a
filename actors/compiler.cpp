#include "actors/compiler.hpp"

namespace actors {

messages::compiler_actor spawn_compiler(caf::actor_system& system, const messages::resource_taker_actor& resources,
                                        const messages::progress_taker_actor& progress, const compiler_options& options,
                                        executor_factory make) {
  stage_runner_options runner;
  runner.offer.name = {options.node.value + "/compiler." + options.dsl};
  runner.offer.node = options.node;
  runner.offer.kinds = {messages::stage_kind::static_check, messages::stage_kind::compile};
  runner.offer.dsls = {options.dsl};
  runner.offer.slots = options.slots;
  runner.cached_results = options.cached_results;
  return spawn_stage_runner(system, resources, progress, runner, std::move(make));
}

}  // namespace actors
