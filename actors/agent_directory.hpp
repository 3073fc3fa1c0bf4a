#pragma once
// Which implementations there are of each role, and the pools that answer for them.

#include <map>
#include <string>

#include "actors/job_questions.hpp"
#include "actors/rules_agent.hpp"
#include "configs/system_config.hpp"

namespace actors {

/// Implementations of one role by name.
template <class Handle>
struct agent_choices {
  std::map<std::string, Handle> known;
  std::string standard;  ///< for jobs that name none
};

struct agent_directory {
  agent_choices<messages::planner_actor> planners;
  agent_choices<messages::coder_actor> coders;
  agent_choices<messages::debugger_actor> debuggers;

  /// Whom a job asks. Fails with misconfigured, naming the known ones.
  messages::expected<job_agents> find(const std::map<std::string, std::string>& names) const;

  /// Sends each pool its end and forgets it.
  void end_all();
};

/// A pool for each implementation that the config names.
agent_directory spawn_agents(caf::actor_system& system, const configs::agents_options& options,
                             const rules_agent_options& rules);

}  // namespace actors
