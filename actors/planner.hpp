#pragma once
// The planner without a model.

#include "actors/rules_agent.hpp"
#include "messages/protocols/planner.hpp"

namespace actors {

messages::planner_actor spawn_rules_planner(caf::actor_system& system, const rules_agent_options& options);

}  // namespace actors
