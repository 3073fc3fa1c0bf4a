#include <doctest/doctest.h>

#include "actors/logic/strategy.hpp"
#include "messages/records/content_hash.hpp"

namespace winner_profile_test {

using namespace messages;
using namespace actors::logic;
using namespace std::literals;

namespace {

/// A job that has found its winner: one candidate at the roofline, timed twice.
struct winning {
  job_state job{job_spec{.job = {"j"}, .target = {{"cpu:0"}, "cpp", ""}, .profile = true}, {"r"}};
  std::unique_ptr<strategy> refine = *make_strategy("refine");
  open_actions open;
  time_point now{};
  candidate_id id;

  winning() {
    plan one{.groups = {{"g0", "map", {"y"}, {}}}};
    candidate_manifest manifest{.dsl = "cpp", .sources = {{"kernel.cpp", {"a"}}}};
    id = identify(manifest);
    apply_content(job_started{});
    finish("r/j/task/trace", stage_kind::trace, {}, traced{{"graph"}, {}});
    apply_content(reply_received{{"plan"}, agent_role::planner, plan_reply{{one}, ""}});
    apply_content(candidate_created{id, {"blob"}, manifest, {"q"}, one});
    finish("c", stage_kind::compile, id, compiled{});
    finish("v", stage_kind::verify, id, verified{});
    timed fast{{.speedup_eager = {2}, .roofline_share = 0.95}};
    finish("t", stage_kind::time, id, fast);
    finish(second_timing(job)->stage.value, stage_kind::time, id, fast);
  }

  void apply_content(decltype(fact::content) content) {
    apply(job, fact{.at = now, .job = {"j"}, .content = std::move(content)});
  }
  void finish(const std::string& stage, stage_kind kind, candidate_id candidate, decltype(verdict::finding) finding) {
    apply_content(stage_finished{{{stage}, 1, kind, std::move(candidate), verdict{std::move(finding)}, {}}});
  }
  stage_result profile(stage_outcome outcome) const {
    return {{"r/j/" + id.value + "/profile"}, 1, stage_kind::profile, id, std::move(outcome), {}};
  }
  std::vector<action> wishes() const { return next_actions(job, *refine, open, now); }

  template <class Action>
  Action only() const {
    auto all = wishes();
    REQUIRE(all.size() == 1);
    REQUIRE(std::holds_alternative<Action>(all.front()));
    return std::get<Action>(all.front());
  }
};

const kernel_failure wrong{failure_stage::verify, failure_kind::wrong_values, {}, "wrong at 3", {}};

}  // namespace

TEST_CASE_FIXTURE(winning, "the winner is profiled once, after its second timing, before the job finishes") {
  auto stage = only<send_stage>();
  CHECK(stage.kind == stage_kind::profile);
  CHECK(stage.candidate == id);
  open.insert(key_of(stage));
  CHECK(wishes().empty());
  open.clear();
  apply_content(stage_finished{profile(verdict{profiled{.bottleneck = "memory"}})});
  CHECK(only<finish_job>().how.best == id);
  CHECK(only<finish_job>().how.stopped_by == "roofline");
  CHECK(job.best()->found<profiled>(stage_kind::profile)->bottleneck == "memory");
}

TEST_CASE_FIXTURE(winning, "a profile that fails or is refused costs the job nothing") {
  std::vector<decltype(fact::content)> ends{stage_failed{profile(failure{failure_code::actor_lost, "the judge ended"})},
                                            stage_finished{profile(verdict{rejected{wrong, {}, {}}})}};
  auto before = job;
  for (auto& end : ends) {
    job = before;
    apply_content(std::move(end));
    CHECK(only<finish_job>().how.best == id);
    CHECK(only<finish_job>().how.stopped_by == "roofline");
    CHECK(job.best()->correct());
    CHECK(!job.best()->broken);
    CHECK(job.failed_stages == 0);
    CHECK(!job.task_failure);
  }
}

TEST_CASE_FIXTURE(winning, "a profile that is under way when the time is up is not awaited") {
  open.insert(key_of(only<send_stage>()));
  now += job.spec.strategy.time_limit + 1s;
  CHECK(only<finish_job>().how.best == id);
}

TEST_CASE_FIXTURE(winning, "jobs of older journals, and those that are only judged, ask for no profile") {
  job.spec.profile = false;
  CHECK(only<finish_job>().how.best == id);
}

}  // namespace winner_profile_test
