#pragma once
// The debugger without a model.

#include "actors/rules_agent.hpp"
#include "messages/protocols/debugger.hpp"

namespace actors {

messages::debugger_actor spawn_rules_debugger(caf::actor_system& system, const rules_agent_options& options);

}  // namespace actors
