#ifndef KERNELMESH_MESSAGES_RECORDS_DOCUMENTS_HPP
#define KERNELMESH_MESSAGES_RECORDS_DOCUMENTS_HPP
// What commands print with --json. Fields may be added, none may change its meaning.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/records/question.hpp"
#include "messages/records/run.hpp"
#include "messages/records/verdict.hpp"

namespace messages {

enum class overall_verdict : std::uint8_t { passed, failed, infrastructure };
constexpr auto enum_names(overall_verdict) {
  return std::to_array<std::string_view>({"passed", "failed", "infrastructure"});
}

struct stage_seconds {
  double queue = 0;
  double compile = 0;
  double verify = 0;
  double time = 0;
  double total = 0;

  void fields(auto& f) {
    f("queue", queue);
    f("compile", compile);
    f("verify", verify);
    f("time", time);
    f("total", total);
  }
  friend bool operator==(const stage_seconds&, const stage_seconds&) = default;
};

struct verify_document {
  std::string schema = "kernelmesh.verify/1";
  std::string task;
  std::string candidate;
  std::string dsl;
  std::string device;
  overall_verdict verdict = overall_verdict::infrastructure;
  std::optional<kernel_failure> failure;  ///< null when passed
  std::string problem;                    ///< of an infrastructure verdict: one sentence
  std::string tier = "hosted";
  std::string why_hosted;  ///< why it is not sealed, where it might have been; else empty
  std::string sandbox = "none";
  std::string policy = "as_shipped";
  std::string dtype;  ///< in which the task was judged: "bfloat16", "float32 and float64"; empty: not known
  std::string precision;
  std::string weights;
  bool degenerate_task = false;
  std::vector<std::string> library;  ///< operators of libraries that it calls, where they are allowed: "aten::mm"
  std::vector<std::string> draws;    ///< what was checked, a word a call: "own", "signed", "one_changed", "perturbed"
  std::vector<std::string> seeds;
  std::vector<std::string> shapes;  ///< of the inputs on which it was judged, "[16, 64], [64]"; empty: the task has one
  messages::environment environment;
  std::optional<error_summary> error;
  std::optional<messages::timing> timing;  ///< there exactly if it was timed
  std::optional<profiled> profile;         ///< there if it was profiled: winners of a search are
  stage_seconds seconds;

  void fields(auto& f) {
    f("schema", schema);
    f("task", task);
    f("candidate", candidate);
    f("dsl", dsl);
    f("device", device);
    f("verdict", verdict);
    f("failure", failure);
    f("problem", problem);
    f("tier", tier);
    f("why_hosted", why_hosted);
    f("sandbox", sandbox);
    f("policy", policy);
    f("dtype", dtype);
    f("precision", precision);
    f("weights", weights);
    f("degenerate_task", degenerate_task);
    f("library", library);
    f("draws", draws);
    f("seeds", seeds);
    f("shapes", shapes);
    f("environment", environment);
    f("error", error);
    f("timing", timing);
    f("profile", profile);
    f("seconds", seconds);
  }
  friend bool operator==(const verify_document&, const verify_document&) = default;
};

struct best_candidate {
  std::string dsl;
  std::string candidate;
  std::string file;  ///< the export
  std::string origin;
  bool timed_again = false;  ///< `verify.timing` is of a second timing, in a fresh process; only that counts as real
  std::optional<ratio> timed_before;  ///< speedup over eager by the first timing, where there was a second
  verify_document verify;

  void fields(auto& f) {
    f("dsl", dsl);
    f("candidate", candidate);
    f("file", file);
    f("origin", origin);
    f("timed_again", timed_again);
    f("timed_before", timed_before);
    f("verify", verify);
  }
  friend bool operator==(const best_candidate&, const best_candidate&) = default;
};

struct candidate_counts {
  std::uint32_t tried = 0;
  std::uint32_t correct = 0;
  std::uint32_t not_judged = 0;  ///< given up, or not come to: neither correct nor refused

  void fields(auto& f) {
    f("tried", tried);
    f("correct", correct);
    f("not_judged", not_judged);
  }
  friend bool operator==(const candidate_counts&, const candidate_counts&) = default;
};

struct spent {
  double seconds = 0;
  double dollars = 0;
  std::uint64_t tokens = 0;

  void fields(auto& f) {
    f("seconds", seconds);
    f("dollars", dollars);
    f("tokens", tokens);
  }
  friend bool operator==(const spent&, const spent&) = default;
};

struct optimize_document {
  std::string schema = "kernelmesh.optimize/1";
  std::string run;
  job_id job;
  std::string task;
  messages::target target;
  std::string variant;
  std::uint32_t repeat = 1;
  std::optional<best_candidate> best;
  candidate_counts candidates;
  messages::spent spent;
  std::string stopped_by;
  std::string remark;
  std::vector<std::string> simplified_by;  ///< rules of algebra that made the task smaller, in plain words
  std::optional<earlier_plan> started_from;

  void fields(auto& f) {
    f("schema", schema);
    f("run", run);
    f("job", job);
    f("task", task);
    f("target", target);
    f("variant", variant);
    f("repeat", repeat);
    f("best", best);
    f("candidates", candidates);
    f("spent", spent);
    f("stopped_by", stopped_by);
    f("remark", remark);
    f("simplified_by", simplified_by);
    f("started_from", started_from);
  }
  friend bool operator==(const optimize_document&, const optimize_document&) = default;
};

struct run_document {
  std::string schema = "kernelmesh.run/1";
  std::string run;
  std::string name;
  std::string phase;
  std::vector<optimize_document> jobs;
  std::string report;  ///< path of the HTML file, where one was written

  void fields(auto& f) {
    f("schema", schema);
    f("run", run);
    f("name", name);
    f("phase", phase);
    f("jobs", jobs);
    f("report", report);
  }
  friend bool operator==(const run_document&, const run_document&) = default;
};

struct status_document {
  std::string schema = "kernelmesh.status/1";
  std::vector<run_status> runs;

  void fields(auto& f) {
    f("schema", schema);
    f("runs", runs);
  }
  friend bool operator==(const status_document&, const status_document&) = default;
};

struct export_document {
  std::string schema = "kernelmesh.export/1";
  std::string run;
  std::string task;
  std::string candidate;
  std::string file;

  void fields(auto& f) {
    f("schema", schema);
    f("run", run);
    f("task", task);
    f("candidate", candidate);
    f("file", file);
  }
  friend bool operator==(const export_document&, const export_document&) = default;
};

/// One thing that was looked at.
struct doctor_check {
  std::string name;
  std::string state = "ok";  ///< "ok", "missing", "problem", "note"
  std::string text;
  std::string remedy;  ///< what to do; empty if ok

  void fields(auto& f) {
    f("name", name);
    f("state", state);
    f("text", text);
    f("remedy", remedy);
  }
  friend bool operator==(const doctor_check&, const doctor_check&) = default;
};

struct doctor_document {
  std::string schema = "kernelmesh.doctor/1";
  bool fit = true;  ///< nothing is missing that the default job needs
  std::vector<doctor_check> checks;

  void fields(auto& f) {
    f("schema", schema);
    f("fit", fit);
    f("checks", checks);
  }
  friend bool operator==(const doctor_document&, const doctor_document&) = default;
};

/// What is wrong, where, and what the process ends with.
struct error_description {
  std::string message;          ///< one sentence, as on stderr; of a config all problems, one a line
  std::string where;            ///< FILE:LINE, a flag, else the command
  std::uint32_t exit_code = 0;  ///< 1 to 4, as the command line's contract has them

  void fields(auto& f) {
    f("message", message);
    f("where", where);
    f("exit_code", exit_code);
  }
  friend bool operator==(const error_description&, const error_description&) = default;
};

/// In place of a command's document where it gives no answer.
struct error_document {
  std::string schema = "kernelmesh.error/1";
  error_description error;

  void fields(auto& f) {
    f("schema", schema);
    f("error", error);
  }
  friend bool operator==(const error_document&, const error_document&) = default;
};

}  // namespace messages

#endif
