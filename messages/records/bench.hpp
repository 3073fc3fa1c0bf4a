#ifndef KERNELMESH_MESSAGES_RECORDS_BENCH_HPP
#define KERNELMESH_MESSAGES_RECORDS_BENCH_HPP
// A benchmark suite's problems, and what a bench says of them. Fields may be added, none may change its meaning.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/records/verdict.hpp"

namespace messages {

/// A task of a suite: one line of a suite in JSON lines.
struct suite_problem {
  std::uint32_t level = 0;
  std::uint32_t problem_id = 0;  ///< unique in its level
  std::string name;              ///< "19_ReLU"
  std::string code;

  void fields(auto& f) {
    f("level", level);
    f("problem_id", problem_id);
    f("name", name);
    f("code", code);
  }
  friend bool operator==(const suite_problem&, const suite_problem&) = default;
};

/// Which run a folder of results belongs to, so that the same command goes on with it.
struct bench_marker {
  std::string schema = "kernelmesh.bench_run/1";
  std::string run;

  void fields(auto& f) {
    f("schema", schema);
    f("run", run);
  }
  friend bool operator==(const bench_marker&, const bench_marker&) = default;
};

enum class problem_status : std::uint8_t { correct, failed, not_covered, task_error, infrastructure };
constexpr auto enum_names(problem_status) {
  return std::to_array<std::string_view>({"correct", "failed", "not_covered", "task_error", "infrastructure"});
}

/// Medians of paired ratios, over repeats their geometric mean. 0: not timed beside it.
struct speedups {
  double eager = 0;
  double compile = 0;
  double best = 0;  ///< over the faster of both; over eager where that is the only one

  void fields(auto& f) {
    f("eager", eager);
    f("compile", compile);
    f("best", best);
  }
  friend bool operator==(const speedups&, const speedups&) = default;
};

/// What was found out about a problem: one line of results.jsonl.
struct bench_result {
  std::string problem;  ///< "kernelbench:1/19"
  std::string name;
  problem_status status = problem_status::failed;
  std::string failure;  ///< kind, empty if correct: one of a verdict's kinds, "no_candidate", or the status
  std::string message;  ///< why there is no kernel: one sentence
  std::string device;
  std::string dsl;                             ///< of the fastest kernel
  std::string candidate;                       ///< its id
  std::map<std::string, std::int64_t> shrunk;  ///< globals of the task that were replaced to make it smaller
  bool degenerate = false;                     ///< in no mean
  std::optional<messages::speedups> speedup;   ///< there if it was timed
  std::optional<messages::timing> timing;      ///< of the fastest kernel
  std::vector<double> repeats;                 ///< speedup over eager of each repeat; 0: none was found or timed
  std::uint32_t tried = 0;                     ///< candidates of all its jobs
  std::uint32_t found_correct = 0;
  double seconds = 0;  ///< that its jobs took from their traces on, added up

  void fields(auto& f) {
    f("problem", problem);
    f("name", name);
    f("status", status);
    f("failure", failure);
    f("message", message);
    f("device", device);
    f("dsl", dsl);
    f("candidate", candidate);
    f("shrunk", shrunk);
    f("degenerate", degenerate);
    f("speedup", speedup);
    f("timing", timing);
    f("repeats", repeats);
    f("tried", tried);
    f("found_correct", found_correct);
    f("seconds", seconds);
  }
  friend bool operator==(const bench_result&, const bench_result&) = default;
};

struct correct_count {
  std::uint32_t count = 0;
  std::uint32_t of = 0;

  void fields(auto& f) {
    f("count", count);
    f("of", of);
  }
  friend bool operator==(const correct_count&, const correct_count&) = default;
};

struct uncovered_problem {
  std::string problem;
  std::string remark;  ///< "not covered: aten.mm"

  void fields(auto& f) {
    f("problem", problem);
    f("remark", remark);
  }
  friend bool operator==(const uncovered_problem&, const uncovered_problem&) = default;
};

/// The whole bench. Means are geometric, over correct problems that are not degenerate; 0 where there is none.
struct bench_document {
  std::string schema = "kernelmesh.bench_kernelbench/1";
  std::string run;
  std::string phase = "finished";  ///< or "interrupted": the figures are of what has ended
  correct_count correct;
  speedups geomean;
  std::map<std::string, double> fast_p;  ///< share of all problems, correct and faster than eager by that factor
  std::vector<std::string> degenerate;   ///< problems
  std::vector<uncovered_problem> not_covered;
  std::map<std::string, std::uint32_t> failures;  ///< kind -> problems
  std::string results;                            ///< path of results.jsonl
  std::string report;                             ///< path of the HTML file

  void fields(auto& f) {
    f("schema", schema);
    f("run", run);
    f("phase", phase);
    f("correct", correct);
    f("geomean", geomean);
    f("fast_p", fast_p);
    f("degenerate", degenerate);
    f("not_covered", not_covered);
    f("failures", failures);
    f("results", results);
    f("report", report);
  }
  friend bool operator==(const bench_document&, const bench_document&) = default;
};

}  // namespace messages

#endif
