#ifndef KERNELMESH_MESSAGES_RECORDS_STAGE_HPP
#define KERNELMESH_MESSAGES_RECORDS_STAGE_HPP
// One piece of work on a candidate or task, its result, progress and cancelling. Bulk data lies in the blob store.

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/records/failure.hpp"
#include "messages/records/ids.hpp"
#include "messages/records/verdict.hpp"

namespace messages {

/// Where a kernel is to run and what it is written in.
struct target {
  device_name device;  ///< "cpu:0"; as the task names it, the scheduler finds the node
  std::string dsl;     ///< name of a DSL's manifest; empty for a trace
  std::string arch;    ///< "x86-64-v3", "sm_90"; empty: the device's own

  void fields(auto& f) {
    f("device", device);
    f("dsl", dsl);
    f("arch", arch);
  }
  friend bool operator==(const target&, const target&) = default;
};

/// How strictly and how long to judge.
struct judge_options {
  std::uint32_t draws = 5;            ///< 5 or more
  std::string policy = "as_shipped";  ///< or "strict"
  std::vector<std::string> baselines{"eager"};
  bool allow_library_calls = false;
  std::chrono::milliseconds call_limit{30'000};    ///< of one call of the candidate, its load too
  std::chrono::milliseconds timing_budget{3'000};  ///< for the interleaved calls of one timing, all shapes together
  double wanted_interval = 0.01;   ///< relative width of the paired ratio's 95 % interval at which timing stops early
  std::uint32_t most_pairs = 400;  ///< of timed calls, whatever budget and interval say

  void fields(auto& f) {
    f("draws", draws);
    f("policy", policy);
    f("baselines", baselines);
    f("allow_library_calls", allow_library_calls);
    f("call_limit_ms", call_limit);
    f("timing_budget_ms", timing_budget);
    f("wanted_interval", wanted_interval);
    f("most_pairs", most_pairs);
  }
  friend bool operator==(const judge_options&, const judge_options&) = default;
};

struct stage_request {
  static constexpr auto wire_name = "stage_request";
  stage_id stage;
  std::uint32_t attempt = 1;  ///< counts the tries after infrastructure failures; set by the scheduler
  stage_kind kind = stage_kind::trace;
  run_id run;
  job_id job;
  blob_hash task;          ///< of a messages::task
  candidate_id candidate;  ///< none for a trace
  blob_hash manifest;      ///< of a candidate_manifest; none for a trace
  blob_hash artifact;      ///< what the compile stage gave; of verify, time, profile
  messages::target target;
  judge_options judge;
  std::vector<std::uint64_t> input_bytes;            ///< as in judge_work
  blob_hash graph;                                   ///< of the op graph that plans refer to; of profile, if known
  std::chrono::milliseconds queue_limit{3'600'000};  ///< waiting; then deadline_exceeded
  std::chrono::milliseconds run_limit{300'000};      ///< running; then deadline_exceeded

  void fields(auto& f) {
    f("stage", stage);
    f("attempt", attempt);
    f("kind", kind);
    f("run", run);
    f("job", job);
    f("task", task);
    f("candidate", candidate);
    f("manifest", manifest);
    f("artifact", artifact);
    f("target", target);
    f("judge", judge);
    f("input_bytes", input_bytes);
    f("graph", graph);
    f("queue_limit_ms", queue_limit);
    f("run_limit_ms", run_limit);
  }
  friend bool operator==(const stage_request&, const stage_request&) = default;
};

/// The stage was given up on request; nothing was found out.
struct cancelled {
  static constexpr auto wire_name = "cancelled";
  void fields(auto&) {}
  friend bool operator==(const cancelled&, const cancelled&) = default;
};

/// A verdict is about the candidate; a failure is about the machinery and goes to no agent.
using stage_outcome = std::variant<verdict, failure, cancelled>;

struct stage_result {
  static constexpr auto wire_name = "stage_result";
  stage_id stage;
  std::uint32_t attempt = 1;
  stage_kind kind = stage_kind::trace;
  candidate_id candidate;
  stage_outcome outcome = failure{};
  resource_name resource;                ///< who ran it
  std::chrono::milliseconds queued{0};   ///< all waits of all attempts
  std::chrono::milliseconds elapsed{0};  ///< of this attempt

  void fields(auto& f) {
    f("stage", stage);
    f("attempt", attempt);
    f("kind", kind);
    f("candidate", candidate);
    f("outcome", outcome);
    f("resource", resource);
    f("queued_ms", queued);
    f("elapsed_ms", elapsed);
  }
  friend bool operator==(const stage_result&, const stage_result&) = default;
};

/// Sent by whoever runs a stage, for people and for the watch over stalled work.
struct stage_progress {
  static constexpr auto wire_name = "stage_progress";
  stage_id stage;
  std::uint32_t attempt = 1;
  double share = 0;  ///< 0 to 1, as far as known
  std::string text;  ///< "draw 3 of 5"

  void fields(auto& f) {
    f("stage", stage);
    f("attempt", attempt);
    f("share", share);
    f("text", text);
  }
  friend bool operator==(const stage_progress&, const stage_progress&) = default;
};

/// Gives up a stage that waits or runs; its asker gets `cancelled`. Unknown stages are ignored.
struct cancel_stage {
  static constexpr auto wire_name = "cancel_stage";
  stage_id stage;

  void fields(auto& f) { f("stage", stage); }
  friend bool operator==(const cancel_stage&, const cancel_stage&) = default;
};

}  // namespace messages

#endif
