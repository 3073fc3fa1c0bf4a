#pragma once
// The coordinator actor: admits runs, starts and supervises their jobs, rebuilds them from facts.

#include <map>

#include "actors/caf.hpp"
#include "actors/job.hpp"
#include "messages/protocols/coordinator.hpp"

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
};

struct coordinator_options {
  messages::scheduler_actor scheduler;
  messages::journal_actor journal;
  messages::monitor_actor monitor;
  agent_directory agents;
  std::optional<blobs::blob_store> store;
  job_limits limits;
  std::map<messages::stage_kind, std::chrono::milliseconds> run_limits;
  std::chrono::milliseconds queue_limit{3'600'000};  ///< of every stage
  std::uint32_t job_restarts = 3;                    ///< of a job actor that died; then the run ends interrupted
  std::chrono::milliseconds restart_delay{100};      ///< doubles with each restart of the job
};

messages::coordinator_actor spawn_coordinator(caf::actor_system& system, const coordinator_options& options);

}  // namespace actors
