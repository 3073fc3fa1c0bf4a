#include "actors/job_questions.hpp"

#include "messages/protocols/job.hpp"
#include "tests/support/deterministic.hpp"

namespace job_questions_test {

using namespace messages;
using namespace std::literals;

namespace {

/// A job that asks, and a planner that fails as often as it is told to.
struct asking : testing::deterministic {
  int failures = 0;
  int asked = 0;
  int cancelled = 0;
  bool silent = false;
  std::vector<caf::typed_response_promise<plan_reply>> open;
  std::vector<std::string> told;
  std::vector<expected<plan_reply>> answers;
  std::optional<actors::job_questions> questions;
  planner_actor planner = spawn_planner();
  job_actor job = spawn_job();

  ~asking() {
    open.clear();
    self->send_exit(job, caf::exit_reason::user_shutdown);
    self->send_exit(planner, caf::exit_reason::user_shutdown);
    run();
  }

  planner_actor spawn_planner() {
    return system.spawn([this](planner_actor::pointer me) -> planner_actor::behavior_type {
      auto plan = [this, me](const plan_request&) -> caf::result<plan_reply> {
        auto promise = me->make_response_promise<plan_reply>();
        if (silent) {
          open.push_back(promise);
          return promise;
        }
        bool fails = ++asked <= failures;
        actors::deliver(promise, fails ? expected<plan_reply>{fail(failure_code::actor_lost, "it died")}
                                       : expected<plan_reply>{plan_reply{{}, "planned"}});
        return promise;
      };
      return {plan, [this](const cancel_question&) { ++cancelled; }};
    });
  }

  job_actor spawn_job() {
    auto tell = [this](event_kind kind, const std::string& question, const std::string&) {
      told.push_back(std::string{enum_names(kind)[static_cast<std::size_t>(kind)]} + ' ' + question);
    };
    return system.spawn(
        [this, tell](actors::private_job_actor::pointer me) -> actors::private_job_actor::behavior_type {
          questions.emplace(me, actors::job_agents{planner, {}, {}}, actors::question_limits{}, tell);
          return {
              [this](const job_status_request&) { return ask(), job_status{}; },
              [this](const drain_job&) { questions->give_up(); },
              [this](const reminder& x) { questions->try_again(x.number); },
          };
        });
  }

  void ask() {
    plan_request request;
    request.about.question = {"plan"};
    questions->ask(request, [this](const expected<plan_reply>& x) { answers.push_back(x); });
  }

  void make_it_ask() {
    self->send(job, job_status_request{});
    run();
  }
};

}  // namespace

TEST_CASE_FIXTURE(asking, "a question is asked again after its agent failed, a little later each time") {
  failures = 2;
  make_it_ask();
  CHECK(asked == 1);
  advance(499ms);
  CHECK(asked == 1);
  advance(1ms);
  CHECK(asked == 2);
  advance(1000ms);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]->remark == "planned");
  CHECK(told
        == std::vector<std::string>{"question_asked plan", "warning plan", "question_asked plan", "warning plan",
                                    "question_asked plan", "question_answered plan"});
}

TEST_CASE_FIXTURE(asking, "the failure of the last try is the answer") {
  failures = 99;
  make_it_ask();
  for (int i = 0; i < 10; ++i) advance(1s);
  CHECK(asked == 3);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].error().detail == "it died");
}

TEST_CASE_FIXTURE(asking, "a question that waits for its next try is given up at once, and asked no more") {
  failures = 99;
  make_it_ask();
  self->send(job, drain_job{});
  run();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].error().code == failure_code::interrupted);
  advance(10s);
  CHECK(asked == 1);
}

TEST_CASE_FIXTURE(asking, "an agent that works is told that its answer is not wanted") {
  silent = true;
  make_it_ask();
  self->send(job, drain_job{});
  run();
  CHECK(cancelled == 1);
  CHECK(answers.empty());  // until the agent says how it ended
}

}  // namespace job_questions_test
