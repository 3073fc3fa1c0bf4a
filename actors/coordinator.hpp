#pragma once
// The coordinator actor: admits runs, starts and supervises their jobs, rebuilds them from facts.

#include <map>

#include "actors/agent_directory.hpp"
#include "actors/caf.hpp"
#include "actors/job.hpp"
#include "messages/protocols/coordinator.hpp"

namespace actors {

struct coordinator_options {
  messages::scheduler_actor scheduler;
  messages::journal_actor journal;
  messages::monitor_actor monitor;
  agent_directory agents;
  std::optional<blobs::blob_store> store;
  job_limits limits;
  std::map<messages::stage_kind, std::chrono::milliseconds> run_limits;
  std::chrono::milliseconds queue_limit{3'600'000};  ///< of every stage
  std::optional<tuned_plans> earlier;                ///< what jobs found; none: it is not kept
  std::uint32_t job_restarts = 3;                    ///< of a job actor that died; then the run ends interrupted
  std::chrono::milliseconds room_interval{1'000};    ///< between looks for room on a disk that was full
  std::chrono::milliseconds restart_delay{100};      ///< doubles with each restart of the job
};

messages::coordinator_actor spawn_coordinator(caf::actor_system& system, const coordinator_options& options);

}  // namespace actors
