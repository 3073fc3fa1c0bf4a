#pragma once
// Runs made of facts, as a journal would hold them.

#include <fstream>
#include <iterator>

#include "actors/report/report.hpp"
#include "messages/records/task.hpp"
#include "tests/support/scratch_folder.hpp"

namespace report_tests {

using namespace messages;
using namespace std::chrono_literals;

inline std::string page_template() {
  std::ifstream file{REPORT_TEMPLATE};
  return {std::istreambuf_iterator<char>{file}, {}};
}

inline messages::timing timing_of(double candidate_ms, double eager_ms) {
  auto around = [](double x) { return distribution{x, x * 0.99, x * 1.01, 400}; };
  double ratio = eager_ms / candidate_ms;
  return {.candidate_ms = around(candidate_ms),
          .eager_ms = around(eager_ms),
          .speedup_eager = {ratio, ratio * 0.99, ratio * 1.01},
          .roofline_share = 0.81,
          .aa_noise = 0.004,
          .clock = "judge"};
}

inline messages::judging sample_judging() {
  return {.sandbox = "namespaces",
          .seeds = {"9f3a01", "77aa02", "0c1d03", "b4e504", "5d6605"},
          .environment = {"AMD EPYC 9B14, 2 cores", "", "3.11.2", "2.15.0", "g++ 12.2.0", "0.1.0"}};
}

inline kernel_failure wrong_values() {
  return {.stage = failure_stage::verify,
          .kind = failure_kind::wrong_values,
          .message = "Output 0 differs by more than the tolerance in 12 of 4096 elements: 0.5 instead of 0.25 at [3].",
          .details = {{"index", "[3]"}, {"got", "0.5"}, {"want", "0.25"}, {"draw", "signed"}}};
}

/// Builds a run fact by fact; time goes on by itself.
class run_builder {
public:
  explicit run_builder(std::vector<job_spec> jobs, std::string name = "relu on two cores") {
    run_spec spec{.run = {"20261128-061502-9f3a"}, .name = std::move(name), .jobs = std::move(jobs)};
    spec.config = "task: relu.py\ndevice: cpu:0\n";
    say({}, run_started{spec});
  }

  void say(const job_id& job, decltype(fact::content) content) {
    fact x{.number = facts.size() + 1, .at = now, .run = {"20261128-061502-9f3a"}, .job = job};
    x.content = std::move(content);
    actors::logic::apply(run, x);
    facts.push_back(std::move(x));
  }

  void stage(const job_id& job, const candidate_id& candidate, stage_kind kind, decltype(verdict::finding) finding) {
    auto elapsed = kind == stage_kind::time ? 3100ms : 420ms;
    now += elapsed + 60ms;
    stage_result result{.kind = kind, .candidate = candidate, .outcome = verdict{std::move(finding)}};
    result.queued = 60ms;
    result.elapsed = elapsed;
    say(job, stage_finished{result});
  }

  candidate_id candidate(const job_id& job, const std::string& code, std::vector<candidate_id> parents = {}) {
    candidate_id id{"c" + std::to_string(++made) + "5e77f00d1234"};
    candidate_created x{.candidate = id};
    x.manifest.dsl = "cpp";
    x.manifest.sources = {{"kernel.cpp", blobs.put(code).value()}};
    x.manifest.knobs = {{"g0.block", std::int64_t{256} * made}, {"g0.threads", std::int64_t{2}}};
    x.manifest.parents = std::move(parents);
    x.plan.remark = "one pass over the tensor";
    now += 30ms;
    say(job, std::move(x));
    return id;
  }

  /// @param milliseconds 0: verified only
  candidate_id passed(const job_id& job, double milliseconds, std::vector<candidate_id> parents = {}) {
    auto id = candidate(job, "void kernel_" + std::to_string(made + 1) + "() {}\n", std::move(parents));
    stage(job, id, stage_kind::compile, compiled{.size_bytes = 16'400, .toolchain = "g++ 12.2.0"});
    stage(job, id, stage_kind::verify, verified{sample_judging(), {1.2e-7, 3e-6, 1.1e-7, 1e-4}});
    if (milliseconds > 0) stage(job, id, stage_kind::time, timed{timing_of(milliseconds, 2.4)});
    return id;
  }

  candidate_id failed(const job_id& job, kernel_failure why) {
    auto id = candidate(job, "void broken_" + std::to_string(made + 1) + "() {}\n");
    stage(job, id, stage_kind::verify, rejected{std::move(why), sample_judging(), error_summary{0.25, 1, 1e-7, 1e-4}});
    return id;
  }

  /// With rules: as if they had fired on a graph of twice the bytes.
  void trace(const job_id& job, std::vector<std::string> rules = {}) {
    tensor_spec spec{dtype::float32, {16, 256}, {256, 1}};
    op_graph graph{.task = "relu", .values = {{.name = "x", .spec = spec}}, .outputs = {"relu"}};
    graph.nodes = {{.name = "relu", .op = "aten.relu", .arguments = {{"self", value_argument{"x"}}}, .output = spec}};
    graph.floor_bytes = 32'768;
    traced found{blobs.put_record(graph).value(), {}};
    if (!rules.empty()) {
      found.simplified = found.graph;
      found.rules = std::move(rules);
      graph.floor_bytes *= 2;
      found.graph = blobs.put_record(graph).value();
    }
    stage(job, {}, stage_kind::trace, found);
  }

  actors::report::report_model model(const actors::report::report_options& options = {}) const {
    return actors::report::report_of({run, blobs, facts}, options);
  }
  std::string html(const actors::report::report_options& options = {}) const {
    return actors::report::render_html(model(options), page_template()).value();
  }

  tests::scratch_folder folder;
  ::blobs::blob_store blobs = ::blobs::blob_store::open(folder.path()).value();
  actors::logic::run_state run;
  std::vector<fact> facts;
  std::chrono::sys_time<std::chrono::milliseconds> now{1'795'846'502'000ms};
  int made = 0;
};

inline job_spec job_named(const std::string& id, const std::string& task = "relu",
                          const std::string& variant = "default") {
  job_spec x{.job = {id}, .task_name = task, .target = {{"cpu:0"}, "cpp", ""}, .variant = variant};
  x.agents = {{"planner", "rules"}, {"coder", "rules"}};
  return x;
}

}  // namespace report_tests
