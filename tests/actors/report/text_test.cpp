#include "actors/report/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "actors/logic/documents.hpp"
#include "actors/logic/status.hpp"
#include "actors/report/clean_text.hpp"
#include "actors/report/sentences.hpp"
#include "actors/report/table.hpp"
#include "sample_run.hpp"

namespace text_test {

using namespace report_tests;
using actors::report::text_of;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct started : run_builder {
  started() : run_builder{{job_named("a")}} { say({"a"}, job_started{}); }
};

std::size_t widest(const std::string& text) {
  std::size_t out = 0;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) out = std::max(out, actors::report::width_of(line));
  return out;
}

optimize_document found(const std::string& task, double speedup) {
  optimize_document x{.run = "r", .task = task, .candidates = {7, 5}, .stopped_by = "roofline"};
  x.best = best_candidate{.dsl = "cpp", .file = "out/relu.py", .origin = "rules", .timed_again = true};
  x.best->verify.timing = timing_of(2.4 / speedup, 2.4);
  return x;
}

}  // namespace

TEST_CASE("an optimized task in one short block") {
  auto text = text_of(found("relu", 3), "out/report.html");
  for (auto part : {"relu: a correct kernel was found", "800.0 us, 3.00x over eager (2.97x to 3.03x), real",
                    "out/relu.py", "7 tried, 5 correct", "as close to the roofline as asked", "out/report.html"})
    CHECK_MESSAGE(has(text, part), part);
  CHECK(widest(text) <= 80);
}

TEST_CASE("the bottleneck of a winner stands in its block with its reason") {
  auto x = found("relu", 3);
  CHECK_FALSE(has(text_of(x), "bottleneck"));
  x.best->verify.profile =
      messages::profiled{.bottleneck = "memory", .reason = "memory is busy to 91 %", .source = "Nsight Compute"};
  CHECK(has(text_of(x), "  bottleneck  memory: memory is busy to 91 %\n"));
  CHECK(widest(text_of(x)) <= 80);
}

TEST_CASE("a winner that was timed once is not called real") {
  auto x = found("relu", 3);
  x.best->timed_again = false;
  auto text = text_of(x);
  CHECK(has(text, "3.00x over eager (2.97x to 3.03x), faster,"));
  CHECK_FALSE(has(text, "real"));
}

TEST_CASE("a winner whose two timings do not say the same is not called real") {
  auto x = found("relu", 3);
  x.best->timed_before = messages::ratio{2.8, 2.7, 2.9};
  CHECK(has(text_of(x), "real"));
  for (auto before : {messages::ratio{1.2, 0.9, 1.5}, messages::ratio{1.6, 1.5, 1.7}, messages::ratio{9, 8, 10}}) {
    x.best->timed_before = before;
    CHECK_FALSE(has(text_of(x), "real"));
    CHECK(has(text_of(x), "timings differ"));
  }
}

TEST_CASE("a calibration of a busy machine says so, with the remedy") {
  calibration x{.of = "a Xeon", .copy_bytes_per_second = 7e9, .fma_flops_per_second = 9e10};
  auto calm = actors::report::text_of(x);
  CHECK(calm == "copies 7.0 GB/s, multiplies and adds 90 GFLOP/s, measured 1970-01-01 00:00:00 UTC on a Xeon");
  x.scatter = 0.4;
  CHECK(has(actors::report::text_of(x), "the fastest repeats differ by 40 %, load 0.0 a core): `kernelmesh doctor"));
  CHECK(has(actors::report::text_of(x, "`./km doctor --measure`"), "): `./km doctor --measure` on a quiet machine"));
  x = {.load = 1.5};
  CHECK(has(actors::report::text_of(x), "--measure` on a quiet machine"));
}

TEST_CASE("what is said of a stage that verified is what was compared") {
  stage_result x{.outcome = verdict{verified{{}, {.max_abs = 8, .of_allowed = 0.021}}}};
  CHECK(actors::logic::summary_of(x) == "verified, error 2.1 % of what is allowed");
  x.outcome = verdict{verified{{}, {.max_abs = 1e-7, .of_allowed = 9e-5}}};
  CHECK(actors::logic::summary_of(x) == "verified, error under 0.1 % of what is allowed");
  x.outcome = verdict{verified{{}, {}}};
  CHECK(actors::logic::summary_of(x) == "verified");
}

TEST_CASE("rules of algebra that made the task smaller are named, each on a line where there are many") {
  auto x = found("relu", 3);
  CHECK(!has(text_of(x), "simplified by"));
  x.simplified_by = {"scales in a row", "average pool of a strided transposed convolution", "pools in a row"};
  auto text = text_of(x);
  CHECK(has(text, "simplified by"));
  for (const auto& rule : x.simplified_by) CHECK_MESSAGE(has(text, rule), rule);
  CHECK(widest(text) <= 80);
}

TEST_CASE("candidates that were given up are not counted as wrong") {
  auto run = started();
  run.trace({"a"});
  run.passed({"a"}, 0.8);
  run.failed({"a"}, wrong_values());
  run.candidate({"a"}, "void given_up() {}\n");
  auto document = actors::logic::optimize_document_of(run.run, run.run.jobs.at({"a"}));
  CHECK(document.candidates == candidate_counts{3, 1, 1});
  CHECK(has(text_of(document), "3 tried, 1 correct, 1 not judged"));
  CHECK(actors::logic::status_of(run.run, run_phase::running).jobs.at(0).not_judged == 1);
  CHECK(!has(text_of(found("relu", 3)), "not judged"));
}

TEST_CASE("paths stay on one line, to be copied") {
  auto x = found("relu", 3);
  x.best->file = "/a folder/" + std::string(400, 'x') + "/with words in its name/relu.py";
  CHECK(has(text_of(x, x.best->file), "  file        " + x.best->file + '\n'));
  CHECK(has(text_of(x, x.best->file), "  report      " + x.best->file + '\n'));
}

TEST_CASE("jobs of several variants, repeats or devices can be told apart") {
  run_document x{
      .run = "r", .phase = "finished", .jobs = {found("rmsnorm", 2), found("rmsnorm", 4), found("rmsnorm", 3)}};
  for (auto& job : x.jobs) job.target = {{"cpu:0"}, "cpp", ""}, job.variant = "default";
  CHECK(!has(text_of(x), "variant"));
  x.jobs[1].variant = "no_tune";
  x.jobs[2].repeat = 2;
  auto text = text_of(x);
  for (auto part : {"variant", "default #1", "no_tune #1", "default #2"}) CHECK_MESSAGE(has(text, part), part);
  CHECK(widest(text) <= 80);
  x.jobs[2].target.device = {"simulated:0"};
  CHECK(has(text_of(x), "simulated:0"));
  CHECK(widest(text_of(x)) <= 80);
  x.jobs[0].best.reset();
  x.jobs[0].job = {"rmsnorm.cpu_0.cpp.default.1"};
  x.jobs[0].remark = "no candidate was correct";
  CHECK(has(text_of(x), "rmsnorm.cpu_0.cpp.default.1: no candidate was correct"));

  run_status status{.run = {"r"}};
  status.jobs = {{.task_name = "rmsnorm", .variant = "fast"}, {.task_name = "rmsnorm", .variant = "slow"}};
  for (auto part : {"variant", "fast", "slow"}) CHECK_MESSAGE(has(text_of(status), part), part);
}

TEST_CASE("what a table has no room for is cut in its words, never in its figures") {
  using actors::report::table_text;
  std::string words(60, 'w'), figures(24, '1');
  auto text = table_text({{"a", 60}, {"b", 24, true}, {"c", 24, true}}, {{words, figures, figures}});
  CHECK(widest(text) == 80);
  CHECK(has(text, figures + "  " + figures));
  CHECK(has(text, "www~"));
}

TEST_CASE("a task without a correct kernel says why") {
  optimize_document x{.task = "conv", .stopped_by = "exhausted", .remark = "not covered: aten.convolution"};
  auto text = text_of(x);
  CHECK(has(text, "conv: no correct kernel was found"));
  CHECK(has(text, "nothing more to try: not covered: aten.convolution"));
}

TEST_CASE("correct kernels that were never timed are not said to be missing") {
  optimize_document x{.task = "conv", .candidates = {.tried = 3, .correct = 2}, .stopped_by = "time"};
  auto text = text_of(x);
  CHECK(has(text, "conv: correct kernels were found, but none was timed to the end"));
  CHECK_FALSE(has(text, "no correct kernel"));
}

TEST_CASE("a run is a table with the geometric mean of what was solved") {
  run_document x{.run = "r1", .name = "n", .phase = "finished", .report = "out/report.html"};
  x.jobs = {found("relu", 4),
            found("a_task_with_a_very_long_name_indeed", 1),
            {.task = "conv", .stopped_by = "exhausted", .remark = "not covered: aten.convolution"}};
  auto degenerate = found("zero", 100);
  degenerate.best->verify.degenerate_task = true;
  x.jobs.push_back(degenerate);
  auto text = text_of(x);
  for (auto part : {"run r1 (n): finished", "4.00x", "3.96-4.04", "5/7", "conv: not covered: aten.convolution",
                    "geometric mean over eager: 2.00x over 2 of 4 jobs", "report: out/report.html"})
    CHECK_MESSAGE(has(text, part), part);
  CHECK(widest(text) <= 80);
}

TEST_CASE("jobs whose timing was noisy stand apart from the others") {
  run_document x{.run = "r", .phase = "finished", .jobs = {found("calm", 2), found("busy", 3), found("wide", 4)}};
  CHECK(!has(text_of(x), "noisy"));
  x.jobs[1].best->verify.timing->aa_noise = 0.08;
  x.jobs[2].best->verify.timing->speedup_eager = {4, 3.5, 4.5};
  auto text = text_of(x);
  auto apart = text.find("noisy timing");
  REQUIRE(apart != std::string::npos);
  CHECK(text.find("calm") < apart);
  CHECK(text.find("busy") > apart);
  CHECK(text.find("wide") > apart);
  CHECK(has(text, "over 3 of 3 jobs"));
  CHECK(widest(text) <= 80);
  x.jobs.erase(x.jobs.begin());
  CHECK(text_of(x).find("noisy timing") < text_of(x).find("task "));  // no table without rows
}

TEST_CASE("an empty run is said to be empty") {
  CHECK(text_of(run_document{.run = "r", .phase = "finished"}) == "run r: finished\nno jobs\n");
  CHECK(has(text_of(run_status{.run = {"r"}}), "no jobs"));
}

TEST_CASE("status says what each job is at") {
  auto run = started();
  run.trace({"a"});
  run.passed({"a"}, 0.8);
  auto status = actors::logic::status_of(run.run, run_phase::running);
  status.jobs.at(0).under_way = {"20261128-061502-9f3a/a/3f2a91c0dd/verify", "code/9a01"};
  auto text = text_of(status);
  for (auto part : {"run 20261128-061502-9f3a (relu on two cores): running", "relu", "cpu:0", "searching", "1/1",
                    "3.00x", "correct/tried", "now, or stopped by", "verify of 3f2a91c0 +1"})
    CHECK_MESSAGE(has(text, part), part);
  CHECK(widest(text) <= 80);
  status.jobs.at(0).under_way = {"code/9a01"};
  CHECK(has(text_of(status), "  code\n"));
}

TEST_CASE("status says of a finished job why it stopped, and of one without a kernel the reason") {
  run_status x{.run = {"r"}, .phase = run_phase::finished};
  x.jobs = {{.task_name = "good", .phase = "finished", .best = candidate_id{"c"}, .stopped_by = "time"},
            {.task_name = "bad", .phase = "finished", .stopped_by = "task", .remark = "get_inputs raised ValueError"}};
  auto text = text_of(x);
  for (auto part : {"stopped by", "time", "bad: get_inputs raised ValueError"}) CHECK_MESSAGE(has(text, part), part);
  CHECK(!has(text, "now"));
}

TEST_CASE("a job that judges a file is in the language of the file") {
  run_builder run{{job_named("a")}};
  run.run.jobs.at({"a"}).spec.target.dsl.clear();
  run.say({"a"}, job_started{});
  run.candidate({"a"}, "text");
  CHECK(actors::logic::status_of(run.run, run_phase::running).jobs.at(0).target.dsl == "cpp");
}

TEST_CASE("runs are one table, a line each") {
  run_status done{.run = {"20261128-061502-9f3a"}, .name = "ten", .phase = run_phase::finished, .elapsed = 75s};
  done.jobs = {{.best = candidate_id{"c"}, .best_speedup = 2.5}, {}};
  run_status cut{.run = {"20261128-071502-9f3a"}, .name = std::string(60, 'n'), .phase = run_phase::interrupted};
  auto text = text_of(std::vector{done, cut});
  CHECK(std::ranges::count(text, '\n') == 3);
  for (auto part : {"20261128-061502-9f3a", "finished", "1/2", "2.50x", "1 min 15 s", "interrupted"})
    CHECK_MESSAGE(has(text, part), part);
  CHECK(widest(text) <= 80);
}

TEST_CASE("an estimate calls nothing a bound that a run may exceed") {
  auto text = text_of(
      estimate_document{.name = "n", .jobs = 1, .evaluations = 8, .stages = 25, .seconds = 60, .start_seconds = 20});
  CHECK(has(text, "8 at most"));
  CHECK(has(text, "about 25"));
  CHECK(has(text, "about 1 min 0 s, of which 20 s for workers to start"));
  CHECK(text.find("at most") == text.rfind("at most"));
}

}  // namespace text_test
