#ifndef KERNELMESH_MESSAGES_RECORDS_FACT_HPP
#define KERNELMESH_MESSAGES_RECORDS_FACT_HPP
// Rows of the journal: the only thing that survives a crash. Form and rules: actors/JOURNAL.md.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/records/question.hpp"
#include "messages/records/run.hpp"
#include "messages/records/stage.hpp"

namespace messages {

struct run_started {
  static constexpr auto wire_name = "run_started";
  run_spec spec;
  void fields(auto& f) { f("spec", spec); }
  friend bool operator==(const run_started&, const run_started&) = default;
};

/// The job's time limit counts only from its first stage on, once that runs.
struct job_started {
  static constexpr auto wire_name = "job_started";
  void fields(auto&) {}
  friend bool operator==(const job_started&, const job_started&) = default;
};

struct reply_received {
  static constexpr auto wire_name = "reply_received";
  question_id question;
  agent_role role = agent_role::planner;
  std::variant<plan_reply, code_reply, debug_reply, profile_reply, migrate_reply, tune_reply> reply;

  void fields(auto& f) {
    f("question", question);
    f("role", role);
    f("reply", reply);
  }
  friend bool operator==(const reply_received&, const reply_received&) = default;
};

struct candidate_created {
  static constexpr auto wire_name = "candidate_created";
  candidate_id candidate;
  blob_hash manifest_blob;  ///< of `manifest`
  candidate_manifest manifest;
  question_id question;  ///< whose reply made it; none for imported ones
  messages::plan plan;   ///< with the knobs it was written for; empty for imported ones

  void fields(auto& f) {
    f("candidate", candidate);
    f("manifest_blob", manifest_blob);
    f("manifest", manifest);
    f("question", question);
    f("plan", plan);
  }
  friend bool operator==(const candidate_created&, const candidate_created&) = default;
};

/// A verdict.
struct stage_finished {
  static constexpr auto wire_name = "stage_finished";
  stage_result result;
  void fields(auto& f) { f("result", result); }
  friend bool operator==(const stage_finished&, const stage_finished&) = default;
};

/// An infrastructure failure that outlasted all attempts.
struct stage_failed {
  static constexpr auto wire_name = "stage_failed";
  stage_result result;
  void fields(auto& f) { f("result", result); }
  friend bool operator==(const stage_failed&, const stage_failed&) = default;
};

struct job_finished {
  static constexpr auto wire_name = "job_finished";
  std::optional<candidate_id> best;
  std::string stopped_by;  ///< "roofline", "patience", "evaluations", "time", "exhausted", "task", "infrastructure"
  std::string remark;      ///< one sentence, why nothing was found or more

  void fields(auto& f) {
    f("best", best);
    f("stopped_by", stopped_by);
    f("remark", remark);
  }
  friend bool operator==(const job_finished&, const job_finished&) = default;
};

struct run_finished {
  static constexpr auto wire_name = "run_finished";
  void fields(auto&) {}
  friend bool operator==(const run_finished&, const run_finished&) = default;
};

struct fact {
  std::uint32_t version = 1;
  std::uint64_t number = 0;  ///< in its run, from 1; given by the journal
  std::chrono::sys_time<std::chrono::milliseconds> at;
  run_id run;
  job_id job;  ///< none: about the run
  std::variant<run_started, job_started, reply_received, candidate_created, stage_finished, stage_failed, job_finished,
               run_finished>
      content;

  void fields(auto& f) {
    f("version", version);
    f("number", number);
    f("at_ms", at);
    f("run", run);
    f("job", job);
    f("content", content);
  }
  friend bool operator==(const fact&, const fact&) = default;
};

// -- the journal's messages -------------------------------------------------------------------------------------------

/// Facts that become durable together or not at all.
struct append_facts {
  static constexpr auto wire_name = "append_facts";
  run_id run;
  std::vector<fact> facts;  ///< numbers are ignored

  void fields(auto& f) {
    f("run", run);
    f("facts", facts);
  }
  friend bool operator==(const append_facts&, const append_facts&) = default;
};

/// They are on disk.
struct facts_appended {
  static constexpr auto wire_name = "facts_appended";
  std::vector<fact> facts;  ///< with their numbers

  void fields(auto& f) { f("facts", facts); }
  friend bool operator==(const facts_appended&, const facts_appended&) = default;
};

struct read_facts {
  static constexpr auto wire_name = "read_facts";
  run_id run;
  void fields(auto& f) { f("run", run); }
  friend bool operator==(const read_facts&, const read_facts&) = default;
};

struct facts_read {
  static constexpr auto wire_name = "facts_read";
  std::vector<fact> facts;
  void fields(auto& f) { f("facts", facts); }
  friend bool operator==(const facts_read&, const facts_read&) = default;
};

}  // namespace messages

#endif
