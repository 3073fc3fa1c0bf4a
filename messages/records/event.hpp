#ifndef KERNELMESH_MESSAGES_RECORDS_EVENT_HPP
#define KERNELMESH_MESSAGES_RECORDS_EVENT_HPP
// What the monitor tells the world, as it happens. Events are not facts: they may be lost.

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "messages/records/ids.hpp"

namespace messages {

enum class event_kind : std::uint8_t {
  unknown,
  run_started,
  run_ended,
  job_started,
  job_ended,
  candidate_created,
  stage_queued,
  stage_started,
  stage_progress,
  stage_ended,
  question_asked,
  question_answered,
  new_best,
  resource_joined,
  resource_left,
  warning,
  resource_restarted,  ///< it ended its work as it was asked to, and comes back: no loss
  node_joined,         ///< another process lends what it has
  node_lost,
  node_refused,  ///< it may not join, and why
};
constexpr auto enum_names(event_kind) {
  return std::to_array<std::string_view>(
      {"unknown",           "run_started",        "run_ended",     "job_started",     "job_ended",
       "candidate_created", "stage_queued",       "stage_started", "stage_progress",  "stage_ended",
       "question_asked",    "question_answered",  "new_best",      "resource_joined", "resource_left",
       "warning",           "resource_restarted", "node_joined",   "node_lost",       "node_refused"});
}

struct event {
  static constexpr auto wire_name = "event";
  std::chrono::sys_time<std::chrono::milliseconds> at;  ///< set by the monitor
  event_kind kind = event_kind::unknown;
  run_id run;
  job_id job;
  std::string subject;  ///< stage, question, candidate or resource
  std::string text;     ///< one line for people
  double share = 0;     ///< of progress, 0 to 1

  void fields(auto& f) {
    f("at_ms", at);
    f("kind", kind);
    f("run", run);
    f("job", job);
    f("subject", subject);
    f("text", text);
    f("share", share);
  }
  friend bool operator==(const event&, const event&) = default;
};

struct metrics_request {
  static constexpr auto wire_name = "metrics_request";
  void fields(auto&) {}
  friend bool operator==(const metrics_request&, const metrics_request&) = default;
};

struct metrics_reply {
  static constexpr auto wire_name = "metrics_reply";
  std::map<std::string, std::uint64_t> events;  ///< how many of each kind since the start

  void fields(auto& f) { f("events", events); }
  friend bool operator==(const metrics_reply&, const metrics_reply&) = default;
};

}  // namespace messages

#endif
