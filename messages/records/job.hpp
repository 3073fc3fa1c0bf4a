#ifndef KERNELMESH_MESSAGES_RECORDS_JOB_HPP
#define KERNELMESH_MESSAGES_RECORDS_JOB_HPP
// Between a job and its coordinator.

#include <cstdint>
#include <string>

#include "messages/records/failure.hpp"
#include "messages/records/ids.hpp"
#include "messages/records/run.hpp"

namespace messages {

struct job_status_request {
  static constexpr auto wire_name = "job_status_request";
  void fields(auto&) {}
  friend bool operator==(const job_status_request&, const job_status_request&) = default;
};

struct drain_job {
  static constexpr auto wire_name = "drain_job";
  void fields(auto&) {}
  friend bool operator==(const drain_job&, const drain_job&) = default;
};

struct job_ended {
  static constexpr auto wire_name = "job_ended";
  run_id run;
  job_id job;
  bool finished = false;  ///< its job_finished is in the journal; else it was drained or could not go on
  job_status status;      ///< the last one
  failure reason;         ///< why it could not go on; `interrupted` when drained

  void fields(auto& f) {
    f("run", run);
    f("job", job);
    f("finished", finished);
    f("status", status);
    f("reason", reason);
  }
  friend bool operator==(const job_ended&, const job_ended&) = default;
};

}  // namespace messages

#endif
