#include "actors/logic/tune.hpp"

#include <doctest/doctest.h>
#include <algorithm>

#include "messages/records/content_hash.hpp"

namespace tune_test {

using namespace messages;
using namespace actors::logic;
using namespace std::chrono_literals;

namespace {

plan plan_of(std::int64_t block) { return {.groups = {{"g0", "map", {"y"}, {{"block", block}}}}}; }

std::map<std::string, knob_space> spaces() {
  knob_space space;
  space.axes.push_back({"block", {}, true, std::int64_t{1}});
  space.axes.push_back({"tile", {}, true, std::int64_t{1}});
  for (std::int64_t x : {1, 2, 4, 8}) space.axes[0].values.emplace_back(x), space.axes[1].values.emplace_back(x);
  return {{"map", space}};
}

/// A job with one plan whose coder writes the knobs down; facts in, wishes out.
struct tuned_job {
  job_state job{job_spec{.job = {"j"}, .target = {{"cpu:0"}, "cpp", ""}}, {"r"}};
  std::unique_ptr<strategy> tune = *make_strategy("tune");
  open_actions open;
  time_point now{};
  std::chrono::milliseconds stage_takes{0};

  tuned_job() {
    job.spec.strategy.width = 1;
    tell(job_started{});
    end({{"r/j/task/trace"}, stage_kind::trace, std::nullopt}, traced{{"graph"}, {}});
    tell(reply_received{{"plan"}, agent_role::planner, plan_reply{{plan_of(1)}, "", spaces(), {}}});
  }

  void tell(decltype(fact::content) content) {
    apply(job, fact{.at = now, .job = {"j"}, .content = std::move(content)});
  }
  void end(const send_stage& stage, decltype(verdict::finding) finding) {
    auto candidate = stage.candidate.value_or(candidate_id{});
    stage_result result{stage.stage, 1, stage.kind, candidate, verdict{std::move(finding)}, {}};
    result.elapsed = stage_takes;
    tell(stage_finished{result});
  }
  std::vector<action> wishes() { return next_actions(job, *tune, open, now); }

  template <class Action>
  Action only() {
    auto all = wishes();
    REQUIRE(all.size() == 1);
    REQUIRE(std::holds_alternative<Action>(all.front()));
    return std::get<Action>(all.front());
  }

  candidate_id write(const ask_coder& question) {
    candidate_manifest manifest{.dsl = "cpp"};
    for (const auto& [name, value] : question.plan.groups[0].knobs) manifest.knobs["g0." + name] = value;
    manifest.knobs.try_emplace("g0.tile", std::int64_t{1});
    auto id = identify(manifest);
    tell(reply_received{question.question, agent_role::coder, code_reply{manifest, {}, question.plan, ""}});
    tell(candidate_created{id, {"blob"}, manifest, question.question, question.plan});
    return id;
  }

  /// Writes, builds and verifies what is wished for next; the wish for its time.
  send_stage next_to_time() {
    write(only<ask_coder>());
    end(only<send_stage>(), compiled{{"artifact"}});
    end(only<send_stage>(), verified{});
    return only<send_stage>();
  }
  void time(const send_stage& stage, double speedup, double error = 0.01) {
    end(stage, timed{{.speedup_eager = {speedup, speedup * (1 - error), speedup * (1 + error)}}});
  }
};

}  // namespace

TEST_CASE_FIXTURE(tuned_job, "the first candidate is timed in full, those after it get a short look") {
  auto first = next_to_time();
  CHECK(first.step == timing_step::full);
  CHECK(first.stage.value.ends_with("/time"));
  time(first, 2);
  auto second = next_to_time();
  CHECK(second.step == timing_step::screen);
  CHECK(second.stage.value.ends_with("/time-screen"));
  auto judged = judge_of(job.spec, second);
  CHECK(judged.timing_budget == job.spec.judge.timing_budget / 10);
  CHECK(judged.most_pairs < job.spec.judge.most_pairs);
  CHECK(judge_of(job.spec, first) == job.spec.judge);
}

TEST_CASE_FIXTURE(tuned_job,
                  "a candidate whose full timing is under way when the first best is found gets no short look") {
  job.spec.strategy.width = 2;
  auto first = next_to_time();
  auto other = write(ask_coder{{"code/other"}, plan_of(2), std::nullopt, 0});
  open = {key_of(first)};
  end({{"r/j/other/compile"}, stage_kind::compile, other}, compiled{{"artifact"}});
  end({{"r/j/other/verify"}, stage_kind::verify, other}, verified{});
  auto second = only<send_stage>();
  CHECK(second.candidate == other);
  CHECK(second.step == timing_step::full);
  open = {key_of(second)};
  time(first, 1.0);
  for (const auto& x : wishes()) CHECK_FALSE(std::holds_alternative<send_stage>(x));
}

TEST_CASE_FIXTURE(tuned_job, "what is clearly slower than the best is dropped after the short look") {
  time(next_to_time(), 2);
  time(next_to_time(), 1.5, 0.1);
  CHECK(std::holds_alternative<ask_coder>(wishes().at(0)));
  CHECK(job.since_gain == 1);
}

TEST_CASE_FIXTURE(tuned_job, "what may be as fast gets the whole budget, whose figure replaces the short one") {
  time(next_to_time(), 2);
  auto best = job.best()->id();
  auto look = next_to_time();
  time(look, 1.9, 0.1);
  CHECK(job.best()->id() == best);
  auto whole = only<send_stage>();
  CHECK(whole.step == timing_step::full);
  CHECK(whole.candidate == look.candidate);
  time(whole, 2.2);
  CHECK(job.best()->id() == *whole.candidate);
  CHECK(job.best()->speedup() == 2.2);
  CHECK(job.since_gain == 0);
}

TEST_CASE_FIXTURE(tuned_job, "a short look alone makes nothing the best") {
  time(next_to_time(), 2);
  auto best = job.best()->id();
  time(next_to_time(), 5);
  CHECK(job.best()->id() == best);
}

TEST_CASE_FIXTURE(tuned_job, "without screening every candidate is timed in full at once") {
  job.spec.strategy.screening = 1;
  time(next_to_time(), 2);
  CHECK(next_to_time().step == timing_step::full);
}

TEST_CASE_FIXTURE(tuned_job, "the winner is timed again before the job ends, and that figure counts") {
  job.spec.strategy.evaluations = 1;
  time(next_to_time(), 2);
  auto again = only<send_stage>();
  CHECK(again.step == timing_step::again);
  CHECK(again.stage.value.ends_with("/time-again"));
  time(again, 1.8);
  CHECK(only<finish_job>().how.best == *again.candidate);
  CHECK(job.best()->speedup() == 1.8);
}

TEST_CASE_FIXTURE(tuned_job,
                  "a winner that falls below another one is named only if that one's second timing is no better") {
  job.spec.strategy.evaluations = 2;
  time(next_to_time(), 2);
  auto steady = *job.best();
  auto look = next_to_time();
  time(look, 2.5);
  time(only<send_stage>(), 2.5);
  auto lucky = only<send_stage>();
  CHECK(lucky.candidate == look.candidate);
  time(lucky, 1.5);
  CHECK(job.best()->id() == *look.candidate);
  auto other = only<send_stage>();
  CHECK(other.candidate == steady.id());
  CHECK(other.step == timing_step::again);
  SUBCASE("it is better") {
    time(other, 1.9);
    CHECK(only<finish_job>().how.best == steady.id());
    CHECK(job.best()->speedup() == 1.9);
  }
  SUBCASE("it was lucky too") {
    time(other, 1.4);
    CHECK(only<finish_job>().how.best == *look.candidate);
    CHECK(job.best()->speedup() == 1.5);
  }
}

TEST_CASE_FIXTURE(tuned_job, "no more than three are timed again before the job ends") {
  job.spec.strategy = {.width = 1, .evaluations = 5, .screening = 1};
  for (double speedup : {2.0, 2.1, 2.2, 2.3, 2.4}) time(next_to_time(), speedup);
  for (double speedup : {1.0, 1.2, 1.1}) {
    auto again = only<send_stage>();
    CHECK(again.step == timing_step::again);
    time(again, speedup);
  }
  only<finish_job>();
  CHECK(job.best()->speedup() == 1.2);
}

TEST_CASE_FIXTURE(tuned_job, "a winner whose second timing never came was timed once") {
  job.spec.strategy.evaluations = 1;
  time(next_to_time(), 2);
  CHECK(is_timed_once(job, *job.best()));
  SUBCASE("the machinery failed") {
    auto again = only<send_stage>();
    tell(stage_failed{{again.stage, 4, again.kind, *again.candidate, failure{failure_code::worker_lost, "gone"}, {}}});
    CHECK(only<finish_job>().how.best == *again.candidate);
    CHECK(is_timed_once(job, *job.best()));
  }
  SUBCASE("it came") {
    time(only<send_stage>(), 1.8);
    CHECK_FALSE(is_timed_once(job, *job.best()));
  }
}

TEST_CASE_FIXTURE(tuned_job, "the time limit keeps what the winner's second timing may take") {
  job.spec.strategy.time_limit = 100s;
  stage_takes = 5s;
  time(next_to_time(), 2);
  CHECK(time_to_search(job) == 90s);  // another one may be under way on the device
  now = *job.clock + 90s - 1ms;
  CHECK(std::holds_alternative<ask_coder>(wishes().at(0)));
  now += 1ms;
  auto again = only<send_stage>();
  CHECK(again.step == timing_step::again);
  open = {key_of(again), "code/other"};
  CHECK(wishes().empty());
  SUBCASE("it ends in time: the job does") {
    now += 6s;
    time(again, 1.8);
    CHECK(only<finish_job>().how.stopped_by == "time");
  }
  SUBCASE("it takes longer: it is awaited") {
    now = *job.clock + 110s;
    CHECK(wishes().empty());
    time(again, 1.8);
    open.erase(key_of(again));
    CHECK(only<finish_job>().how.stopped_by == "time");
  }
  CHECK_FALSE(is_timed_once(job, *job.best()));
}

TEST_CASE_FIXTURE(tuned_job, "where timings are long the search keeps two thirds of its time") {
  job.spec.strategy.time_limit = 30s;
  stage_takes = 25s;
  time(next_to_time(), 2);
  CHECK(time_to_search(job) == 20s);
}

TEST_CASE_FIXTURE(tuned_job, "a search that was through before its time was up keeps its own reason") {
  job.spec.strategy.evaluations = 1;
  job.spec.strategy.time_limit = 100s;
  stage_takes = 5s;
  time(next_to_time(), 2);
  auto again = only<send_stage>();
  now = *job.clock + 95s;
  time(again, 1.8);
  CHECK(only<finish_job>().how.stopped_by == "evaluations");
}

TEST_CASE_FIXTURE(tuned_job, "a winner that is refused when it is timed again leaves its place to the next") {
  job.spec.strategy.evaluations = 2;
  time(next_to_time(), 2);
  auto steady = job.best()->id();
  auto look = next_to_time();
  time(look, 2.5);
  time(only<send_stage>(), 2.5);
  end(only<send_stage>(),
      rejected{{failure_stage::time, failure_kind::clock_mismatch, {}, "clocks disagree", {}}, {}, {}});
  CHECK(job.best()->id() == steady);
  CHECK(only<send_stage>().candidate == steady);
}

TEST_CASE_FIXTURE(tuned_job, "it finds the best of 16 settings in fewer evaluations than there are") {
  job.spec.strategy = {.width = 1, .evaluations = 12, .patience = 12, .screening = 1};
  auto speedup_of = [](const candidate_state& x) {
    auto step = [&](const char* knob, double best) {
      return std::abs(std::log2(static_cast<double>(std::get<std::int64_t>(x.made.manifest.knobs.at(knob)))) - best);
    };
    return 4 / (1 + 0.4 * step("g0.block", 3) + 0.4 * step("g0.tile", 2));
  };
  for (int i = 0; i < 100 && !std::holds_alternative<finish_job>(wishes().at(0)); ++i) {
    auto wish = wishes().at(0);
    if (auto question = std::get_if<ask_coder>(&wish)) write(*question);
    auto stage = std::get_if<send_stage>(&wish);
    if (!stage) continue;
    if (stage->kind == stage_kind::compile) end(*stage, compiled{{"artifact"}});
    if (stage->kind == stage_kind::verify) end(*stage, verified{});
    if (stage->kind == stage_kind::time) time(*stage, speedup_of(*job.find(*stage->candidate)));
  }
  CHECK(job.candidates.size() <= 12);
  CHECK(job.best()->speedup() == doctest::Approx(4));
}

TEST_CASE_FIXTURE(tuned_job, "settings that give a program that is known cost no evaluation and are not asked twice") {
  time(next_to_time(), 2);
  auto asked = only<ask_coder>();
  auto known = job.best()->made.manifest;
  tell(reply_received{asked.question, agent_role::coder, code_reply{known, {}, asked.plan, ""}});
  CHECK(job.candidates.size() == 1);
  CHECK(only<ask_coder>().question != asked.question);
}

TEST_CASE_FIXTURE(tuned_job, "the next programs are asked for while others keep the device busy") {
  job.spec.strategy.width = 2;
  time(next_to_time(), 2);
  auto all = wishes();
  REQUIRE(all.size() == 2);
  auto a = write(std::get<ask_coder>(all[0]));
  auto stages = wishes();
  end(std::get<send_stage>(stages.at(0)), compiled{{"artifact"}});  // one on the device now
  auto now = wishes();
  CHECK(std::ranges::count_if(now, [](const auto& x) { return std::holds_alternative<ask_coder>(x); }) == 2);
  CHECK(job.find(a) != nullptr);
}

TEST_CASE_FIXTURE(tuned_job, "what is out is not wished for again, and another one is chosen beside it") {
  job.spec.strategy.width = 2;
  time(next_to_time(), 2);
  for (const auto& x : wishes()) open.insert(key_of(x));
  CHECK(wishes().empty());
}

TEST_CASE_FIXTURE(tuned_job, "a job that is rebuilt from its facts wishes for the same") {
  time(next_to_time(), 2);
  time(next_to_time(), 1.5);
  tuned_job other;
  other.job = job;
  auto mine = only<ask_coder>();
  CHECK(other.only<ask_coder>().question == mine.question);
}

TEST_CASE("the planner is asked for what earlier runs found unless the job does not want it") {
  for (bool wanted : {true, false}) {
    job_state job{job_spec{.job = {"j"}}, {"r"}};
    job.spec.strategy.earlier_plans = wanted;
    apply(job, fact{.job = {"j"}, .content = job_started{}});
    stage_result traced_result{{"t"}, 1, stage_kind::trace, {}, verdict{traced{{"graph"}, {}}}, {}};
    apply(job, fact{.job = {"j"}, .content = stage_finished{traced_result}});
    auto all = next_actions(job, **make_strategy("tune"), {}, {});
    REQUIRE(all.size() == 1);
    CHECK(std::get<ask_planner>(all[0]).earlier == wanted);
  }
}

TEST_CASE("knobs and rules of a group carry its name in the space of the whole plan") {
  auto known = spaces();
  known["map"].rules.push_back({{{"block", "tile"}}, 16, {"block", "tile"}, {{"tile", std::int64_t{2}}}});
  plan two{.groups = {{"g0", "map", {"x"}, {}}, {"g1", "map", {"y"}, {}}, {"g2", "unknown", {"z"}, {}}}};
  auto space = joint_space(two, known);
  REQUIRE(space.axes.size() == 4);
  CHECK(space.axes[3].name == "g1.tile");
  REQUIRE(space.rules.size() == 2);
  CHECK(space.rules[1].products[0] == std::vector<std::string>{"g1.block", "g1.tile"});
  CHECK(space.rules[1].multiple[0] == "g1.block");
  CHECK(space.rules[1].where.begin()->first == "g1.tile");
}

}  // namespace tune_test
