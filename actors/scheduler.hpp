#pragma once
// The scheduler actor: carries out what logic::stage_schedule decides.

#include "actors/caf.hpp"
#include "actors/logic/stage_schedule.hpp"
#include "messages/protocols/monitor.hpp"
#include "messages/protocols/scheduler.hpp"

namespace actors {

/// Ends when it is sent an exit; those who wait are then answered with actor_lost.
messages::scheduler_actor spawn_scheduler(caf::actor_system& system, const messages::monitor_actor& monitor,
                                          const logic::schedule_options& options = {});

}  // namespace actors
