#include "actors/report/bench.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/actors/report/sample_run.hpp"

namespace bench_test {

using namespace report_tests;
using namespace actors::report;

namespace {

job_spec problem(std::uint32_t id, const std::string& name, std::uint32_t repeat = 1) {
  auto x = job_named(name + '.' + std::to_string(repeat), name);
  x.problem = "kernelbench:1/" + std::to_string(id);
  x.repeat = repeat;
  return x;
}

void end(run_builder& run, const job_id& job, const std::string& why = "patience", const std::string& remark = {}) {
  run.say(job, job_finished{.stopped_by = why, .remark = remark});
}

/// A kernel that takes so long beside eager's 2.4 ms and torch.compile's.
void solve(run_builder& run, const job_id& job, double milliseconds, double over_compile = 0, bool degenerate = false) {
  run.say(job, job_started{});
  auto id = run.candidate(job, "void kernel() {}\n");
  auto judged = sample_judging();
  judged.degenerate_task = degenerate;
  run.stage(job, id, stage_kind::verify, verified{judged, {}});
  auto times = timing_of(milliseconds, 2.4);
  if (over_compile > 0) times.speedup_compile = ratio{over_compile, over_compile, over_compile};
  run.stage(job, id, stage_kind::time, timed{times});
  end(run, job);
}

bench_result result(const run_builder& run, std::size_t place = 0) { return result_of(problems_of(run.run).at(place)); }

}  // namespace

TEST_CASE("a correct problem has the speedups of its kernel, the best over the faster baseline") {
  run_builder run{{problem(19, "19_ReLU")}};
  solve(run, {"19_ReLU.1"}, 1.2, 1.5);
  auto x = result(run);
  CHECK(x.problem == "kernelbench:1/19");
  CHECK(x.status == problem_status::correct);
  CHECK(x.failure.empty());
  CHECK(x.speedup->eager == doctest::Approx(2));
  CHECK(x.speedup->compile == doctest::Approx(1.5));
  CHECK(x.speedup->best == doctest::Approx(1.5));
  CHECK(x.timing->candidate_ms.median == doctest::Approx(1.2));
  CHECK(x.seconds > 3);
}

TEST_CASE("repeats are averaged geometrically, those without a kernel are named but not averaged") {
  run_builder run{{problem(19, "19_ReLU", 1), problem(19, "19_ReLU", 2), problem(19, "19_ReLU", 3)}};
  solve(run, {"19_ReLU.1"}, 2.4);
  solve(run, {"19_ReLU.2"}, 0.6);
  CHECK_FALSE(problems_of(run.run).at(0).finished());
  end(run, {"19_ReLU.3"});
  REQUIRE(problems_of(run.run).at(0).finished());
  auto x = result(run);
  CHECK(x.speedup->eager == doctest::Approx(2));
  CHECK(x.repeats == std::vector<double>{1, 4, 0});
  CHECK(x.timing->candidate_ms.median == doctest::Approx(0.6));
}

TEST_CASE("what found no kernel says why: not covered, the task, the machinery, or how a candidate failed") {
  run_builder run{{problem(1, "mm"), problem(2, "odd"), problem(3, "lost"), problem(4, "wrong"), problem(5, "none")}};
  run.say({"mm.1"}, reply_received{.reply = plan_reply{{}, "not covered: aten.mm"}});
  end(run, {"mm.1"}, "exhausted", "not covered: aten.mm");
  end(run, {"odd.1"}, "task", "forward raised");
  end(run, {"lost.1"}, "infrastructure", "the judge is gone");
  run.failed({"wrong.1"}, wrong_values());
  end(run, {"wrong.1"}, "exhausted");
  end(run, {"none.1"}, "time");
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < 5; ++i) failures.push_back(result(run, i).failure);
  CHECK(failures
        == std::vector<std::string>{"not_covered", "task_error", "infrastructure", "wrong_values", "no_candidate"});
  CHECK(result(run, 0).message == "not covered: aten.mm");

  auto document = bench_document_of(run.run);
  CHECK(document.correct == correct_count{0, 5});
  CHECK(document.not_covered == std::vector<uncovered_problem>{{"kernelbench:1/1", "not covered: aten.mm"}});
  CHECK(document.failures
        == std::map<std::string, std::uint32_t>{
            {"infrastructure", 1}, {"no_candidate", 1}, {"task_error", 1}, {"wrong_values", 1}});
  CHECK(document.geomean == speedups{});
}

TEST_CASE("means are over correct problems that are not degenerate, fast_p over all problems") {
  run_builder run{{problem(1, "a"), problem(2, "b"), problem(3, "c"), problem(4, "d")}};
  solve(run, {"a.1"}, 0.6, 2);
  solve(run, {"b.1"}, 2.4, 8);
  solve(run, {"c.1"}, 0.1, 9, true);
  auto document = bench_document_of(run.run);
  CHECK(document.correct == correct_count{3, 4});
  CHECK(document.geomean.eager == doctest::Approx(2));
  CHECK(document.geomean.compile == doctest::Approx(4));
  CHECK(document.geomean.best == doctest::Approx(std::sqrt(2.0)));
  CHECK(document.fast_p == std::map<std::string, double>{{"1", 0.25}, {"1.5", 0.25}, {"2", 0.25}});
  CHECK(document.degenerate == std::vector<std::string>{"kernelbench:1/3"});
  CHECK(document.phase == "interrupted");
  auto text = text_of(document);
  for (auto part : {"interrupted", "3 of 4", "2.00x", "4.00x", "25 %"}) CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("what a problem was shrunk by stands in its result") {
  run_builder run{{problem(1, "a")}};
  traced found;
  found.shrunk = {{"batch_size", 16}};
  run.stage({"a.1"}, {}, stage_kind::trace, found);
  CHECK(result(run).shrunk == std::map<std::string, std::int64_t>{{"batch_size", 16}});
}

TEST_CASE("the page of a bench has one plot of all problems, those without a kernel at its foot") {
  run_builder run{{problem(1, "a"), problem(2, "b"), problem(3, "c")}};
  solve(run, {"a.1"}, 0.6, 2);
  CHECK_FALSE(run.model().overview);
  solve(run, {"b.1"}, 4.8);
  end(run, {"c.1"});
  auto plot = run.model().overview;
  REQUIRE(plot);
  std::vector<std::string> labels;
  for (const auto& x : plot->points) labels.push_back(x.label.substr(0, x.label.find(" (")));
  CHECK(labels
        == std::vector<std::string>{"c: no timed kernel", "b over eager: 0.50x", "a over eager: 4.00x",
                                    "a over torch.compile: 2.00x"});
  CHECK(plot->points[1].y > plot->points[3].y);
  CHECK(plot->points[3].y > plot->points[2].y);
  CHECK(run.html().find("a over eager: 4.00x") != std::string::npos);
}

}  // namespace bench_test
