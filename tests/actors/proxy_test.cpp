#include "actors/proxy.hpp"

#include <future>

#include "actors/exporter.hpp"
#include "actors/system_config.hpp"
#include "tests/support/answers.hpp"
#include "tests/support/link_peer.hpp"

namespace proxy_test {

using namespace messages;
using namespace std::literals;
using testing::wait_for_answer;

namespace {

/// Answers a stage at once, unless its candidate is "hang": that one ends when it is cancelled.
class obedient_state {
public:
  using private_actor = caf::typed_actor<ask<stage_request, stage_result>, tell<cancel_stage>>;
  using pointer = private_actor::stateful_pointer<obedient_state>;
  static inline const char* name = "obedient";
  explicit obedient_state(pointer self) : self_(self) {}

  private_actor::behavior_type start(std::promise<void>* has_one) {
    return {[this, has_one](const stage_request& x) -> caf::result<stage_result> {
              if (x.candidate.value == "wrong") return stage_result{x.stage, x.attempt + 1};
              if (x.candidate.value != "hang") return stage_result{x.stage, x.attempt, x.kind, x.candidate, verdict{}};
              open_ = self_->make_response_promise<stage_result>();
              asked_ = x;
              has_one->set_value();
              return *open_;
            },
            [this](const cancel_stage& x) {
              if (open_ && asked_.stage == x.stage)
                deliver(*open_, stage_result{asked_.stage, asked_.attempt, asked_.kind, asked_.candidate, cancelled{}});
            }};
  }

private:
  template <class T>
  void deliver(caf::typed_response_promise<T> promise, T x) {
    promise.deliver(std::move(x));
    open_.reset();
  }
  pointer self_;
  std::optional<caf::typed_response_promise<stage_result>> open_;
  stage_request asked_;
};

/// Two actor systems with a link between them: the runner lives at the node "a", the caller at the coordinator.
struct two_systems {
  testing::keys_of_three keys;
  testing::link_peer coordinator_link{testing::quick_link(keys.coordinator, keys.role())};
  testing::link_peer node_link{testing::quick_link(keys.a, actors::links::node_role{{"a"}, keys.coordinator.open},
                                                   coordinator_link.link->endpoint())};
  std::promise<void> has_one;
  std::promise<stage_progress> progress;
  actors::system_config config, other_config;
  caf::actor_system coordinator{config}, node{other_config};
  caf::scoped_actor self{coordinator};
  stage_runner_actor local = actors::spawn_state<obedient_state>(node, &has_one);
  exporter_actor exporter = actors::export_actor(node, *node_link.link, {"a/cpu:0"}, local);
  progress_taker_actor taker = coordinator.spawn([this]() -> progress_taker_actor::behavior_type {
    return {[this](const stage_progress& x) { progress.set_value(x); }};
  });

  two_systems() {
    node_link.link->start();
    coordinator_link.link->start();
    coordinator_link.log.wait_for(testing::link_kind::joined);
  }
  ~two_systems() {
    coordinator_link.link->close();
    node_link.link->close();
    caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(taker, caf::exit_reason::user_shutdown);
    for (const auto& x : proxies) caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  }
  stage_runner_actor remote(const std::string& actor = "a/cpu:0", std::chrono::milliseconds timeout = 30s) {
    proxies.push_back(actors::spawn_proxy<stage_runner_actor>(coordinator, *coordinator_link.link, {{"a"}, {actor}},
                                                              {.timeout = timeout, .progress = taker}));
    return proxies.back();
  }
  auto ask_for(const stage_runner_actor& runner, const std::string& candidate) {
    stage_request request{.stage = {"s"}, .attempt = 2, .candidate = {candidate}};
    request.run_limit = 0ms;
    return self->request(runner, 1min, std::move(request));
  }

  std::vector<stage_runner_actor> proxies;
};

}  // namespace

TEST_CASE_FIXTURE(two_systems, "a caller cannot tell a proxy from the actor itself") {
  auto reply = testing::answer_to<stage_result>(ask_for(remote(), "c"));
  REQUIRE(reply);
  CHECK(*reply == stage_result{{"s"}, 2, stage_kind::trace, {"c"}, verdict{}});
}

TEST_CASE_FIXTURE(two_systems, "progress and cancelling pass through") {
  auto runner = remote();
  auto pending = ask_for(runner, "hang");
  has_one.get_future().wait();
  caf::anon_send(exporter, stage_progress{{"s"}, 1, 0.1, "of an attempt before"});
  caf::anon_send(exporter, stage_progress{{"s"}, 2, 0.5, "draw 3 of 5"});
  CHECK(progress.get_future().get() == stage_progress{{"s"}, 2, 0.5, "draw 3 of 5"});
  self->send(runner, cancel_stage{{"s"}});
  CHECK(testing::answer_to<stage_result>(pending)->outcome == stage_outcome{cancelled{}});
}

TEST_CASE_FIXTURE(two_systems, "what goes wrong on the way comes back as a typed failure") {
  CHECK(testing::answer_to<stage_result>(ask_for(remote("a/cpu:1"), "c")).error()
        == failure{failure_code::unknown_actor, R"(no actor "a/cpu:1")"});
  CHECK(testing::answer_to<stage_result>(ask_for(remote(), "wrong")).error().code == failure_code::wrong_answer);
  CHECK(testing::answer_to<stage_result>(ask_for(remote("a/cpu:0", 50ms), "hang")).error().code
        == failure_code::deadline_exceeded);
}

TEST_CASE_FIXTURE(two_systems, "an actor that dies with the request in hand fails it at once") {
  auto pending = ask_for(remote(), "hang");
  has_one.get_future().wait();
  caf::anon_send_exit(local, caf::exit_reason::kill);
  CHECK(testing::answer_to<stage_result>(pending).error().code == failure_code::actor_lost);
}

TEST_CASE_FIXTURE(two_systems,
                  "a link that goes down fails open requests at once with node_lost, and every later one") {
  auto runner = remote();
  auto pending = ask_for(runner, "hang");
  has_one.get_future().wait();
  node_link.link->close();
  CHECK(testing::answer_to<stage_result>(pending).error().code == failure_code::node_lost);
  CHECK(testing::answer_to<stage_result>(ask_for(runner, "c")).error().code == failure_code::node_lost);
}

}  // namespace proxy_test
