#ifndef KERNELMESH_MESSAGES_RECORDS_RUN_HPP
#define KERNELMESH_MESSAGES_RECORDS_RUN_HPP
// What is to be done: a run and its jobs, resolved from a config, and how a client speaks of them to the coordinator.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/records/ids.hpp"
#include "messages/records/stage.hpp"

namespace messages {

/// How a job searches and when it stops.
struct strategy_options {
  std::string name = "tune";            ///< or "refine", or "imported": judge the one candidate that the job names
  std::uint32_t width = 2;              ///< candidates under way at once
  std::uint32_t evaluations = 32;       ///< candidates judged at most
  std::uint32_t patience = 12;          ///< stop after so many timed candidates without a gain
  std::uint32_t repairs = 5;            ///< of one line at most
  double enough_roofline_share = 0.95;  ///< stop when reached, where the device's bandwidth is known
  std::chrono::milliseconds time_limit{600'000};  ///< of the job, from the start of its first stage
  double screening = 0.1;     ///< share of the timing budget for a first look at a candidate, of "tune"; 1: none is had
  bool earlier_plans = true;  ///< start from what earlier runs found, of "tune"

  void fields(auto& f) {
    f("name", name);
    f("width", width);
    f("evaluations", evaluations);
    f("patience", patience);
    f("repairs", repairs);
    f("enough_roofline_share", enough_roofline_share);
    f("time_limit_ms", time_limit);
    f("screening", screening);
    f("earlier_plans", earlier_plans);
  }
  friend bool operator==(const strategy_options&, const strategy_options&) = default;
};

/// One task on one target, driven by one strategy.
struct job_spec {
  job_id job;
  std::string task_name;
  blob_hash task;  ///< of a messages::task
  messages::target target;
  std::string variant = "default";  ///< name of the config's variant
  std::uint32_t repeat = 1;         ///< 1-based
  std::uint64_t seed = 0;
  strategy_options strategy;
  std::map<std::string, std::string> agents;  ///< role -> implementation: "planner" -> "rules"
  judge_options judge;
  bool time = true;           ///< false: verify only
  blob_hash imported;         ///< of a candidate_manifest; of strategy "imported" only
  std::string imported_from;  ///< path as the user gave it, for reports
  std::string problem;        ///< of a suite, "kernelbench:1/19"; empty: a task of its own
  std::string task_file;      ///< as the user names it, for messages; empty: not known, or no file
  bool profile = false;       ///< its winner has a profile stage before the job finishes

  void fields(auto& f) {
    f("job", job);
    f("task_name", task_name);
    f("task", task);
    f("target", target);
    f("variant", variant);
    f("repeat", repeat);
    f("seed", seed);
    f("strategy", strategy);
    f("agents", agents);
    f("judge", judge);
    f("time", time);
    f("imported", imported);
    f("imported_from", imported_from);
    f("problem", problem);
    f("task_file", task_file);
    f("profile", profile);
  }
  friend bool operator==(const job_spec&, const job_spec&) = default;
};

struct run_spec {
  run_id run;
  std::string name;
  std::string command =
      "run";  ///< that started it: "optimize", "verify", "run", "bench"; says what is written at the end
  std::vector<job_spec> jobs;
  std::uint32_t parallel_jobs = 4;  ///< jobs under way at once
  std::string config;               ///< text of the run config it was resolved from; empty where there was none
  std::string config_file;          ///< its path, absolute
  std::string system_file;          ///< of the system config, absolute; empty: the run config says, or the default
  std::string out;                  ///< folder for exports and the report, absolute; empty: none are written

  void fields(auto& f) {
    f("run", run);
    f("name", name);
    f("command", command);
    f("jobs", jobs);
    f("parallel_jobs", parallel_jobs);
    f("config", config);
    f("config_file", config_file);
    f("system_file", system_file);
    f("out", out);
  }
  friend bool operator==(const run_spec&, const run_spec&) = default;
};

// -- client and coordinator -------------------------------------------------------------------------------------------

struct start_run {
  static constexpr auto wire_name = "start_run";
  run_spec spec;
  void fields(auto& f) { f("spec", spec); }
  friend bool operator==(const start_run&, const start_run&) = default;
};

/// Go on from the journal.
struct resume_run {
  static constexpr auto wire_name = "resume_run";
  run_id run;
  void fields(auto& f) { f("run", run); }
  friend bool operator==(const resume_run&, const resume_run&) = default;
};

struct run_accepted {
  static constexpr auto wire_name = "run_accepted";
  run_id run;
  std::uint32_t jobs = 0;
  std::uint32_t jobs_finished = 0;  ///< already, when resumed

  void fields(auto& f) {
    f("run", run);
    f("jobs", jobs);
    f("jobs_finished", jobs_finished);
  }
  friend bool operator==(const run_accepted&, const run_accepted&) = default;
};

/// Answered when the run has ended, finished or drained.
struct await_run {
  static constexpr auto wire_name = "await_run";
  run_id run;
  void fields(auto& f) { f("run", run); }
  friend bool operator==(const await_run&, const await_run&) = default;
};

enum class run_phase : std::uint8_t { running, draining, finished, interrupted };
constexpr auto enum_names(run_phase) {
  return std::to_array<std::string_view>({"running", "draining", "finished", "interrupted"});
}

struct job_status {
  job_id job;
  std::string task_name;
  messages::target target;
  std::string variant;
  std::uint32_t repeat = 1;
  std::string phase = "waiting";  ///< "waiting", "tracing", "searching", "finished"
  std::uint32_t tried = 0;
  std::uint32_t correct = 0;
  std::uint32_t not_judged = 0;  ///< given up, or not come to yet
  std::optional<candidate_id> best;
  double best_ms = 0;                  ///< 0: none yet
  double best_speedup = 0;             ///< over eager; 0: none yet
  std::string stopped_by;              ///< empty while it runs
  std::string remark;                  ///< why nothing was found, or why it has not gone on
  std::vector<std::string> under_way;  ///< stages and questions that are out

  void fields(auto& f) {
    f("job", job);
    f("task_name", task_name);
    f("target", target);
    f("variant", variant);
    f("repeat", repeat);
    f("phase", phase);
    f("tried", tried);
    f("correct", correct);
    f("not_judged", not_judged);
    f("best", best);
    f("best_ms", best_ms);
    f("best_speedup", best_speedup);
    f("stopped_by", stopped_by);
    f("remark", remark);
    f("under_way", under_way);
  }
  friend bool operator==(const job_status&, const job_status&) = default;
};

struct run_status {
  static constexpr auto wire_name = "run_status";
  run_id run;
  std::string name;
  run_phase phase = run_phase::running;
  std::vector<job_status> jobs;
  std::uint64_t facts = 0;
  std::chrono::milliseconds elapsed{0};

  void fields(auto& f) {
    f("run", run);
    f("name", name);
    f("phase", phase);
    f("jobs", jobs);
    f("facts", facts);
    f("elapsed_ms", elapsed);
  }
  friend bool operator==(const run_status&, const run_status&) = default;
};

struct status_request {
  static constexpr auto wire_name = "status_request";
  run_id run;  ///< none: all
  void fields(auto& f) { f("run", run); }
  friend bool operator==(const status_request&, const status_request&) = default;
};

struct status_reply {
  static constexpr auto wire_name = "status_reply";
  std::vector<run_status> runs;
  void fields(auto& f) { f("runs", runs); }
  friend bool operator==(const status_reply&, const status_reply&) = default;
};

/// Start nothing more, give back what waits and what runs, close the journal. Both are done again from their start when
/// the run is resumed.
struct drain_request {
  static constexpr auto wire_name = "drain_request";
  run_id run;                               ///< none: all
  std::chrono::milliseconds limit{30'000};  ///< then the journal is closed without waiting for what is given back

  void fields(auto& f) {
    f("run", run);
    f("limit_ms", limit);
  }
  friend bool operator==(const drain_request&, const drain_request&) = default;
};

struct drain_reply {
  static constexpr auto wire_name = "drain_reply";
  std::uint32_t runs = 0;  ///< that drain now
  void fields(auto& f) { f("runs", runs); }
  friend bool operator==(const drain_reply&, const drain_reply&) = default;
};

}  // namespace messages

#endif
