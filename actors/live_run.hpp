#pragma once
// What the coordinator knows of a run that this process drives.

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "actors/caf.hpp"
#include "actors/logic/job_state.hpp"
#include "messages/protocols/job.hpp"

namespace actors {

/// A job that was started.
struct live_job {
  messages::job_actor actor;
  std::uint32_t restarts = 0;
  bool running = false;  // waits for room included
  bool waits_for_room = false;
};

/// A run that this process drives.
struct live_run {
  messages::run_spec spec;
  messages::run_phase phase = messages::run_phase::running;
  logic::time_point started{};
  std::map<messages::job_id, messages::job_status> statuses;     // the last known
  std::map<messages::job_id, std::vector<messages::fact>> past;  // of jobs that a resume goes on with
  std::deque<messages::job_id> waiting;
  std::map<messages::job_id, live_job> jobs;  // those that were started
  std::vector<caf::typed_response_promise<messages::run_status>> awaiters;

  std::size_t running() const {
    return static_cast<std::size_t>(std::ranges::count_if(jobs, [](const auto& x) { return x.second.running; }));
  }
  bool waits_for_room() const {
    return std::ranges::any_of(jobs, [](const auto& x) { return x.second.waits_for_room; });
  }
};

}  // namespace actors
