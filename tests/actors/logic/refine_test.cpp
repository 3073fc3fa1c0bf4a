#include <doctest/doctest.h>

#include "actors/logic/strategy.hpp"
#include "messages/records/content_hash.hpp"

namespace refine_test {

using namespace messages;
using namespace actors::logic;
using namespace std::literals;

namespace {

plan plan_of(std::int64_t block) { return {.groups = {{"g0", "map", {"y"}, {{"block", block}}}}}; }

/// A job whose world answers by hand: facts in, wishes out.
struct searching {
  job_state job{job_spec{.job = {"j"}, .target = {{"cpu:0"}, "cpp", ""}}, {"r"}};
  std::unique_ptr<strategy> refine = *make_strategy("refine");
  open_actions open;
  time_point now{};

  searching() { apply_content(job_started{}); }

  void apply_content(decltype(fact::content) content) {
    apply(job, fact{.at = now, .job = {"j"}, .content = std::move(content)});
  }
  void traced_and_planned(std::vector<plan> plans) {
    finish("r/j/task/trace", stage_kind::trace, {}, traced{{"graph"}, {}});
    apply_content(reply_received{{"plan"}, agent_role::planner, plan_reply{std::move(plans), ""}});
  }
  void finish(const std::string& stage, stage_kind kind, candidate_id candidate, decltype(verdict::finding) finding) {
    apply_content(stage_finished{{{stage}, 1, kind, std::move(candidate), verdict{std::move(finding)}, {}}});
  }
  candidate_id written(const ask_coder& question, const std::string& text) {
    candidate_manifest manifest{.dsl = "cpp", .sources = {{"kernel.cpp", {text}}}};
    if (question.parent) manifest.parents = {*question.parent};
    auto id = identify(manifest);
    apply_content(reply_received{question.question, agent_role::coder, code_reply{manifest, {}, question.plan, ""}});
    apply_content(candidate_created{id, {"blob"}, manifest, question.question, question.plan});
    return id;
  }
  void timed_at(const candidate_id& id, double speedup, double roofline = 0) {
    finish("c", stage_kind::compile, id, compiled{});
    finish("v", stage_kind::verify, id, verified{});
    finish("t", stage_kind::time, id, timed{{.speedup_eager = {speedup}, .roofline_share = roofline}});
  }
  std::vector<action> wishes() { return next_actions(job, *refine, open, now); }

  template <class Action>
  Action only() {
    auto all = wishes();
    REQUIRE(all.size() == 1);
    REQUIRE(std::holds_alternative<Action>(all.front()));
    return std::get<Action>(all.front());
  }
  ask_coder question(std::size_t i) {
    auto all = wishes();
    REQUIRE(i < all.size());
    REQUIRE(std::holds_alternative<ask_coder>(all[i]));
    return std::get<ask_coder>(all[i]);
  }
  /// The winner's second timing finds what the first one found.
  void time_again() {
    auto all = wishes();
    auto again = all.size() == 1 ? std::get_if<send_stage>(&all.front()) : nullptr;
    if (!again || again->step != timing_step::again) return;
    auto times = *job.find(*again->candidate)->timing();
    finish(again->stage.value, stage_kind::time, *again->candidate, timed{times});
  }
  std::string stopped_by() {
    time_again();
    return only<finish_job>().how.stopped_by;
  }
};

const kernel_failure wrong{failure_stage::verify, failure_kind::wrong_values, {}, "wrong at 3", {}};

}  // namespace

TEST_CASE_FIXTURE(searching, "a job traces its task, then asks for plans, then for as many programs as its width") {
  CHECK(only<send_stage>().stage.value == "r/j/task/trace");
  finish("r/j/task/trace", stage_kind::trace, {}, traced{{"graph"}, {}});
  CHECK(only<ask_planner>().question.value == "plan");
  apply_content(reply_received{{"plan"}, agent_role::planner, plan_reply{{plan_of(1), plan_of(2), plan_of(3)}, ""}});
  auto all = wishes();
  REQUIRE(all.size() == 2);
  CHECK(std::get<ask_coder>(all[0]).plan == plan_of(1));
  CHECK(std::get<ask_coder>(all[1]).plan == plan_of(2));
}

TEST_CASE_FIXTURE(searching, "what is open is not asked again") {
  traced_and_planned({plan_of(1), plan_of(2), plan_of(3)});
  for (const auto& x : wishes()) open.insert(key_of(x));
  CHECK(wishes().empty());
}

TEST_CASE_FIXTURE(searching, "a candidate goes from compile to verify to time") {
  traced_and_planned({plan_of(1)});
  auto id = written(question(0), "a");
  CHECK(only<send_stage>().kind == stage_kind::compile);
  finish("c", stage_kind::compile, id, compiled{{"artifact"}});
  CHECK(only<send_stage>().kind == stage_kind::verify);
  finish("v", stage_kind::verify, id, verified{});
  CHECK(only<send_stage>().kind == stage_kind::time);
  CHECK(only<send_stage>().candidate == id);
}

TEST_CASE_FIXTURE(searching, "the best gets variations until the coder has no more") {
  traced_and_planned({plan_of(1)});
  job.spec.strategy.width = 1;
  auto best = written(question(0), "a");
  timed_at(best, 2);
  auto vary = question(0);
  CHECK(vary.parent == best);
  CHECK(vary.variation == 1);
  auto better = written(vary, "b");
  timed_at(better, 3);
  CHECK(question(0).parent == better);
  apply_content(reply_received{question(0).question, agent_role::coder, code_reply{{}, {}, {}, "no more variations"}});
  CHECK(stopped_by() == "exhausted");
  CHECK(only<finish_job>().how.best == better);
}

TEST_CASE_FIXTURE(searching, "a gain within the noise is none") {
  traced_and_planned({plan_of(1), plan_of(2)});
  auto a = written(question(0), "a");
  auto b = written(question(1), "b");
  timed_at(a, 2);
  timed_at(b, 2.01);
  CHECK(job.best()->id() == a);
  CHECK(job.since_gain == 1);
}

TEST_CASE_FIXTURE(searching, "a rejected candidate goes to the debugger, whose knobs are written next") {
  traced_and_planned({plan_of(1)});
  auto id = written(question(0), "a");
  finish("c", stage_kind::compile, id, compiled{});
  finish("v", stage_kind::verify, id, rejected{wrong, {}, {}});
  auto debug = only<ask_debugger>();
  CHECK(debug.candidate == id);
  CHECK(debug.repairs == 0);
  apply_content(reply_received{debug.question, agent_role::debugger, debug_reply{change_knobs{plan_of(7)}, ""}});
  CHECK(question(0).plan == plan_of(7));
  CHECK(question(0).parent == id);
}

TEST_CASE_FIXTURE(searching, "a line is repaired so often and no more") {
  traced_and_planned({plan_of(0)});
  job.spec.strategy.repairs = 2;
  auto next = question(0);
  for (int i = 1;; ++i) {
    auto id = written(next, std::to_string(i));
    finish("v" + std::to_string(i), stage_kind::compile, id, rejected{wrong, {}, {}});
    auto all = wishes();
    REQUIRE(all.size() == 1);
    if (auto end = std::get_if<finish_job>(&all[0])) {
      CHECK(i == 3);
      CHECK(end->how.stopped_by == "exhausted");
      CHECK(end->how.remark == "no candidate was correct; the first failed with: wrong at 3");
      break;
    }
    auto debug = std::get<ask_debugger>(all[0]);
    CHECK(debug.repairs == static_cast<std::uint32_t>(i - 1));
    apply_content(reply_received{debug.question, agent_role::debugger, debug_reply{change_knobs{plan_of(i)}, ""}});
    next = question(0);
  }
}

TEST_CASE_FIXTURE(searching, "a plan that nothing covers ends the job with the planner's word") {
  traced_and_planned({});
  job.plans->remark = "not covered: aten.mm";
  auto end = only<finish_job>().how;
  CHECK(end.stopped_by == "exhausted");
  CHECK(end.remark == "not covered: aten.mm");
}

TEST_CASE_FIXTURE(searching, "the stop rules name themselves") {
  traced_and_planned({plan_of(1)});
  auto id = written(question(0), "a");
  SUBCASE("enough of the roofline") {
    timed_at(id, 2, 0.96);
    CHECK(stopped_by() == "roofline");
  }
  SUBCASE("not where it is faster than the device was measured to be: that says nothing of what is left to gain") {
    timed_at(id, 2, 1.2);
    CHECK(std::holds_alternative<ask_coder>(wishes().at(0)));
    job.spec.strategy.evaluations = 1;
    CHECK(stopped_by() == "evaluations");
  }
  SUBCASE("so many evaluations") {
    job.spec.strategy.evaluations = 1;
    timed_at(id, 2);
    CHECK(stopped_by() == "evaluations");
  }
  SUBCASE("no gain for so long") {
    timed_at(id, 2);
    job.spec.strategy.patience = 1;
    auto other = written(question(0), "b");
    timed_at(other, 1);
    CHECK(stopped_by() == "patience");
  }
  SUBCASE("time is up, whatever runs") {
    open.insert("r/j/a/compile");
    now += 600'000ms;
    CHECK(stopped_by() == "time");
  }
  SUBCASE("without timing the first correct one is enough") {
    job.spec.time = false;
    finish("c", stage_kind::compile, id, compiled{});
    finish("v", stage_kind::verify, id, verified{});
    CHECK(stopped_by() == "evaluations");
    CHECK(only<finish_job>().how.best == id);
  }
}

TEST_CASE_FIXTURE(searching,
                  "when time is up a first kernel that is with the judge is judged to its end, a second one is not") {
  traced_and_planned({plan_of(1), plan_of(2)});
  auto one = question(0), other = question(1);
  auto first = written(one, "a"), second = written(other, "b");
  for (const auto& id : {first, second}) finish("c", stage_kind::compile, id, compiled{});
  now += 600'000ms;
  CHECK(only<send_stage>().kind == stage_kind::verify);
  SUBCASE("it is correct") {
    finish("v", stage_kind::verify, first, verified{});
    CHECK(only<send_stage>().kind == stage_kind::time);
    open.insert(key_of(only<send_stage>()));
    CHECK(wishes().empty());
    finish("t", stage_kind::time, first, timed{{.speedup_eager = {2}}});
    CHECK(only<finish_job>().how.best == first);
  }
  SUBCASE("it is not: then the second is the first") {
    finish("v", stage_kind::verify, first, rejected{wrong});
    CHECK(only<send_stage>().candidate == second);
    finish("v", stage_kind::verify, second, rejected{wrong});
  }
  CHECK(stopped_by() == "time");
}

TEST_CASE_FIXTURE(searching, "the time limit leaves out the wait for the first device that is ready") {
  now += 2h;  // workers start
  CHECK(only<send_stage>().kind == stage_kind::trace);
  stage_result first{{"r/j/task/trace"}, 1, stage_kind::trace, {}, verdict{traced{{"graph"}, {}}}, {}};
  apply_content(stage_finished{first});
  now += job.spec.strategy.time_limit - 1ms;
  CHECK(only<ask_planner>().question.value == "plan");
  now += 1ms;
  CHECK(stopped_by() == "time");
}

TEST_CASE_FIXTURE(searching, "the time between a run's end and its resumption does not count") {
  stage_result first{{"r/j/task/trace"}, 1, stage_kind::trace, {}, verdict{traced{{"graph"}, {}}}, {}};
  apply_content(stage_finished{first});
  now += job.spec.strategy.time_limit / 2;
  apply_content(reply_received{{"plan"}, agent_role::planner, plan_reply{{plan_of(1)}, {}}});
  now += 24h;
  apply_content(job_started{});  // resumed
  CHECK(job.spent(now) == job.spec.strategy.time_limit / 2);
  now += 1h;  // workers start
  CHECK(only<ask_coder>().plan == plan_of(1));
  apply_content(stage_finished{first});
  now += job.spec.strategy.time_limit / 2;
  CHECK(stopped_by() == "time");
}

TEST_CASE("what a run took leaves out the time in which it did not go on") {
  run_state run;
  auto told = [&](std::chrono::seconds at, job_id job, decltype(fact::content) content) {
    apply(run, fact{.at = time_point{at}, .run = {"r"}, .job = std::move(job), .content = std::move(content)});
  };
  told(100s, {}, run_started{run_spec{.run = {"r"}, .jobs = {job_spec{.job = {"a"}}, job_spec{.job = {"b"}}}}});
  told(110s, {"a"}, job_started{});
  told(150s, {"b"}, job_started{});  // for the first time
  CHECK(run.took() == 50s);
  told(24h, {"a"}, job_started{});  // resumed
  told(24h, {"b"}, job_started{});
  told(24h + 30s, {"a"}, job_finished{.stopped_by = "patience"});
  CHECK(run.took() == 80s);
  CHECK(run.jobs.at({"a"}).took(run.last) == 40s + 30s);
  CHECK(run.jobs.at({"b"}).took(run.last) == 30s);
  told(48h, {"a"}, job_started{});  // it had ended without a result that counts
  CHECK(run.jobs.at({"a"}).idle == run.idle);
}

TEST_CASE_FIXTURE(searching, "a job that ended for want of machinery is tried again when it is resumed") {
  traced_and_planned({plan_of(1)});
  auto id = written(question(0), "a");
  apply_content(stage_failed{{{"c"}, 4, stage_kind::compile, id, failure{failure_code::worker_lost, "gone"}, {}}});
  apply_content(only<finish_job>().how);
  CHECK(job.worth_another_try());
  CHECK(wishes().empty());
  apply_content(job_started{});
  CHECK_FALSE(job.finished);
  CHECK(only<send_stage>().kind == stage_kind::compile);
}

TEST_CASE_FIXTURE(searching, "machinery that keeps failing ends the job as infrastructure, not as a bad kernel") {
  traced_and_planned({plan_of(1)});
  auto id = written(question(0), "a");
  apply_content(
      stage_failed{{{"c"}, 4, stage_kind::compile, id, failure{failure_code::worker_lost, "g++ is gone"}, {}}});
  auto end = only<finish_job>().how;
  CHECK(end.stopped_by == "infrastructure");
  CHECK(end.remark == "g++ is gone");
}

TEST_CASE_FIXTURE(searching, "a task that cannot be traced ends the job as the task's fault") {
  finish("t", stage_kind::trace, {},
         rejected{{failure_stage::trace, failure_kind::task_error, {}, "no get_inputs", {}}, {}, {}});
  auto end = only<finish_job>().how;
  CHECK(end.stopped_by == "task");
  CHECK(end.remark == "no get_inputs");
}

TEST_CASE_FIXTURE(searching, "a task that proves wanting when a candidate is judged is the task's fault too") {
  traced_and_planned({plan_of(1)});
  auto id = written(question(0), "a");
  finish("c", stage_kind::compile, id, compiled{});
  finish("v", stage_kind::verify, id,
         rejected{{failure_stage::trace, failure_kind::task_error, {}, "a dict", {}}, {}, {}});
  auto end = only<finish_job>().how;
  CHECK(end.stopped_by == "task");
  CHECK(end.remark == "a dict");
}

TEST_CASE("an imported candidate is adopted, judged and nothing else") {
  job_state job{job_spec{.job = {"j"}, .imported = {"manifest"}}, {"r"}};
  auto imported = *make_strategy("imported");
  auto tell = [&](decltype(fact::content) x) { apply(job, fact{.job = {"j"}, .content = std::move(x)}); };
  auto wish = [&] { return next_actions(job, *imported, {}, {}).at(0); };
  tell(job_started{});
  CHECK(std::holds_alternative<adopt_imported>(wish()));
  candidate_manifest manifest{.dsl = "imported", .entry = python_host_entry{}, .origin = candidate_origin::imported};
  tell(candidate_created{identify(manifest), {"b"}, manifest, {}, {}});
  CHECK(std::get<send_stage>(wish()).kind == stage_kind::verify);
  tell(stage_finished{{{"v"}, 1, stage_kind::verify, identify(manifest), verdict{rejected{wrong, {}, {}}}, {}}});
  CHECK(std::get<finish_job>(wish()).how.remark == "wrong at 3");
}

TEST_CASE("a strategy that nobody knows is refused with the names of those that are") {
  auto none = make_strategy("magic");
  REQUIRE(!none);
  CHECK(none.error().detail == "there is no strategy \"magic\"; known: imported, refine, tune");
}

TEST_CASE_FIXTURE(searching, "facts that come twice change nothing") {
  traced_and_planned({plan_of(1)});
  auto asked = question(0);
  auto id = written(asked, "a");
  timed_at(id, 2);
  auto once = wishes().size();
  written(asked, "a");
  timed_at(id, 9);
  CHECK(job.candidates.size() == 1);
  CHECK(job.best()->speedup() == 2);
  CHECK(wishes().size() == once);
}

}  // namespace refine_test
