// A whole job of the tuner on a simulated device, whose time depends on the knobs.

#include <algorithm>

#include "actors/logic/job_state.hpp"
#include "tests/actors/simulated_tree.hpp"

namespace tune_tree_test {

using namespace messages;
using testing::simulated_tree;

namespace {

run_spec long_search(const simulated_tree& tree, const std::string& run) {
  auto spec = tree.spec();
  spec.run = {run};
  spec.jobs[0].strategy.evaluations = 24;
  spec.jobs[0].strategy.patience = 24;
  spec.jobs[0].strategy.enough_roofline_share = 10;
  return spec;
}

std::vector<fact> facts_of(simulated_tree& tree, const run_spec& spec) {
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{spec}));
  CHECK(tree.end_of_run(spec.run.value).phase == run_phase::finished);
  return tree.facts(spec.run.value);
}

actors::logic::job_state job_of(const std::vector<fact>& facts) {
  actors::logic::run_state run;
  for (const auto& x : facts) apply(run, x);
  return run.jobs.begin()->second;
}

std::int64_t stages_that_end_in(const std::vector<fact>& facts, const std::string& what) {
  return std::ranges::count_if(facts, [&](const fact& x) {
    auto done = std::get_if<stage_finished>(&x.content);
    return done && done->result.stage.value.ends_with(what);
  });
}

}  // namespace

TEST_CASE("the tuner finds better knobs than the planner's, drops the slow early and times its winner again") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  auto facts = facts_of(tree, long_search(tree, "r"));
  auto job = job_of(facts);
  double planned = 0;
  for (const auto& x : job.candidates)
    if (x.made.manifest.parents.empty()) planned = std::max(planned, x.speedup());
  CHECK(job.best()->speedup() > planned * 1.1);
  auto looks = stages_that_end_in(facts, "/time-screen");
  auto whole = stages_that_end_in(facts, "/time");
  CHECK(looks > 10);
  CHECK(whole < looks);
  CHECK(stages_that_end_in(facts, "/time-again") == 1);
  CHECK(job.finished->best == job.best()->id());
}

TEST_CASE("a search that is ended by its time has its winner timed again, and is over at most a timing later") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  auto whole = job_of(facts_of(tree, long_search(tree, "r")));
  auto limit = whole.spent(*whole.ended) / 2;
  auto spec = long_search(tree, "short");
  spec.jobs[0].strategy.time_limit = limit;
  spec.jobs[0].strategy.earlier_plans = false;
  auto facts = facts_of(tree, spec);
  auto job = job_of(facts);
  CHECK(job.finished->stopped_by == "time");
  CHECK(job.candidates.size() < whole.candidates.size());
  CHECK(stages_that_end_in(facts, "/time-again") >= 1);
  CHECK_FALSE(is_timed_once(job, *job.best()));
  CHECK(job.spent(*job.ended) < limit + job.best()->results.at(stage_kind::time).elapsed);
}

TEST_CASE("the next run of a task starts from what the last one found, and says so") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  auto first = job_of(facts_of(tree, long_search(tree, "r")));
  CHECK(!first.plans->started_from);
  auto spec = long_search(tree, "again");
  spec.jobs[0].strategy.evaluations = 2;
  auto second = job_of(facts_of(tree, spec));
  REQUIRE(second.plans->started_from);
  CHECK(second.plans->started_from->run.value == "r");
  CHECK(second.plans->started_from->same_shapes);
  CHECK(second.candidates.at(0).id() == first.best()->id());
  spec.run = {"fresh"};
  spec.jobs[0].strategy.earlier_plans = false;
  CHECK(!job_of(facts_of(tree, spec)).plans->started_from);
}

}  // namespace tune_tree_test
