#pragma once
// The coder without a model.

#include "actors/rules_agent.hpp"
#include "messages/protocols/coder.hpp"

namespace actors {

messages::coder_actor spawn_rules_coder(caf::actor_system& system, const rules_agent_options& options);

}  // namespace actors
