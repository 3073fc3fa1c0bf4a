#include "actors/agent_pool.hpp"

#include <set>

#include "messages/protocols/planner.hpp"
#include "tests/support/deterministic.hpp"

namespace agent_pool_test {

using namespace messages;
using namespace std::literals;

namespace {

/// Members keep every question until they are told to answer, and die of one with the remark "poison".
struct pooled : testing::deterministic {
  std::vector<std::pair<int, caf::typed_response_promise<plan_reply>>> open;
  std::vector<planner_actor> members;
  std::string cancelled;
  planner_actor pool = actors::spawn_agent_pool<planner_actor>(
      system, {.size = 2}, [this](caf::actor_system& s) { return members.emplace_back(spawn_member(s)); });

  ~pooled() {
    open.clear();
    self->send_exit(pool, caf::exit_reason::user_shutdown);
    run();
  }

  planner_actor spawn_member(caf::actor_system& s) {
    int number = static_cast<int>(members.size());
    return s.spawn([this, number](planner_actor::pointer me) -> planner_actor::behavior_type {
      auto answer = [this, number, me](const plan_request& x) -> caf::result<plan_reply> {
        if (x.about.question.value == "poison") me->quit(caf::exit_reason::unhandled_exception);
        auto promise = me->make_response_promise<plan_reply>();
        open.emplace_back(number, promise);
        return promise;
      };
      return {answer, [this](const cancel_question& x) { cancelled = x.question.value; }};
    });
  }

  auto ask(const std::string& question) {
    plan_request request;
    request.about.question = {question};
    auto pending = self->request(pool, 1min, std::move(request));
    run();
    return pending;
  }
};

}  // namespace

TEST_CASE_FIXTURE(pooled, "questions go to the member that has the fewest") {
  for (auto question : {"a", "b", "c", "d"}) ask(question);
  REQUIRE(open.size() == 4);
  CHECK(open[0].first != open[1].first);
  CHECK(open[2].first != open[3].first);
}

TEST_CASE_FIXTURE(pooled, "a member that dies is replaced, its askers are told, and the pool goes on") {
  auto first = ask("poison");
  CHECK(answer_to<plan_reply>(first).error().code == failure_code::actor_lost);
  CHECK(members.size() == 3);
  ask("a"), ask("b");
  std::set<int> asked;
  for (const auto& [number, promise] : open) asked.insert(number);
  CHECK(asked.contains(2));
}

TEST_CASE_FIXTURE(pooled, "a question that is given up is answered at once, and its member is told") {
  ask("a");
  auto dropped = ask("b");
  self->send(pool, cancel_question{{}, {}, {"b"}});
  CHECK(answer_to<plan_reply>(dropped).error().code == failure_code::interrupted);
  CHECK(cancelled == "b");
}

TEST_CASE_FIXTURE(pooled, "a pool that ends answers those who wait") {
  auto waiting = ask("a");
  self->send_exit(pool, caf::exit_reason::user_shutdown);
  CHECK(answer_to<plan_reply>(waiting).error().code == failure_code::actor_lost);
}

}  // namespace agent_pool_test
