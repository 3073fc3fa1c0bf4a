#pragma once
// The actor in front of an executor: what compilers and device_runners have in common.

#include <functional>
#include <memory>

#include "actors/caf.hpp"
#include "devices/executor.hpp"
#include "devices/timer.hpp"
#include "messages/protocols/monitor.hpp"
#include "messages/protocols/scheduler.hpp"

namespace actors {

struct stage_runner_options {
  messages::resource_offer offer;  ///< what is told once the executor is ready
  std::size_t cached_results = 0;  ///< verdicts kept by content (compilers); 0: each stage runs
};

/// Makes the executor; the timer is the actor's clock and outlives it.
using executor_factory = std::function<std::unique_ptr<devices::executor>(devices::timer&)>;

/// Announces itself to `resources` (the scheduler) at once, joins when the executor is ready and leaves while it is
/// down. Ends with its executor when it is sent an exit; stages that run are then answered with actor_lost.
messages::stage_runner_actor spawn_stage_runner(caf::actor_system& system,
                                                const messages::resource_taker_actor& resources,
                                                const messages::progress_taker_actor& progress,
                                                const stage_runner_options& options, executor_factory make);

}  // namespace actors
