#pragma once
// The job actor: carries out what the strategy decides, journals what comes back, decides anew.

#include <chrono>
#include <vector>

#include "actors/caf.hpp"
#include "actors/job_questions.hpp"
#include "actors/tuned_plans.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/protocols/coordinator.hpp"
#include "messages/protocols/job.hpp"
#include "messages/protocols/journal.hpp"
#include "messages/protocols/monitor.hpp"
#include "messages/protocols/scheduler.hpp"

namespace actors {

struct job_services {
  messages::scheduler_actor scheduler;
  messages::journal_actor journal;
  messages::monitor_actor monitor;
  messages::coordinator_actor coordinator;
};

struct job_limits {
  std::chrono::milliseconds journal{60'000};
  question_limits questions;
  std::chrono::milliseconds stage{4 * 3'600'000};  ///< longer than all attempts of the scheduler with their waits
};

struct job_options {
  messages::run_id run;
  messages::job_spec spec;
  std::vector<messages::fact> past;  ///< of this job; empty for a new one
  job_agents agents;
  job_services services;
  std::optional<blobs::blob_store> store;  ///< to read an imported candidate from
  std::optional<tuned_plans> earlier;      ///< where its best plan is kept; none: nowhere
  job_limits limits;
  std::map<messages::stage_kind, std::chrono::milliseconds> run_limits;  ///< where they differ from the default
  std::chrono::milliseconds queue_limit{3'600'000};
};

/// Tells the coordinator `job_ended` once, then ends.
messages::job_actor spawn_job(caf::actor_system& system, const job_options& options);

}  // namespace actors
