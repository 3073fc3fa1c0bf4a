#include "actors/stage_runner.hpp"

#include "actors/monitor.hpp"
#include "actors/scheduler.hpp"
#include "tests/support/deterministic.hpp"

namespace stage_runner_test {

using namespace messages;
using namespace std::literals;

namespace {

/// What the executor was told; it ends nothing by itself.
struct orders {
  std::vector<std::pair<stage_id, devices::stage_events>> runs;
  std::vector<stage_id> cancelled;
};

class obedient_executor : public devices::executor {
public:
  explicit obedient_executor(orders& told) : told_(told) {}
  void start(devices::executor_events events) override { events.ready(); }
  void run(const stage_request& x, devices::stage_events events) override { told_.runs.emplace_back(x.stage, events); }
  void cancel(const stage_id& x) override { told_.cancelled.push_back(x); }

private:
  orders& told_;
};

struct compiling : testing::deterministic {
  orders told;
  monitor_actor monitor = actors::spawn_monitor(system);
  scheduler_actor scheduler_handle = actors::spawn_scheduler(system, monitor);
  stage_runner_actor runner = actors::spawn_stage_runner(
      system, scheduler_handle, monitor, {{{"n/compiler"}, {"n"}, {stage_kind::compile}, {"cpp"}}, 10},
      [this](devices::timer&) { return std::make_unique<obedient_executor>(told); });

  ~compiling() {
    auto end = [this](const auto& x) { self->send_exit(x, caf::exit_reason::user_shutdown); };
    end(runner), end(scheduler_handle), end(monitor);
    run();
  }
  auto ask(const std::string& stage, const std::string& candidate = "c") {
    stage_request request{.stage = {stage}, .kind = stage_kind::compile, .candidate = {candidate}};
    auto pending = self->request(runner, 60min, std::move(request));
    run();
    return pending;
  }
  void end(std::size_t i, stage_outcome outcome) {
    told.runs.at(i).second.ended(std::move(outcome));
    run();
  }
};

const verdict built{compiled{{"artifact"}, 1, "g++", false}};

}  // namespace

TEST_CASE_FIXTURE(compiling, "equal candidates of two jobs are built once, and both get the artifact") {
  auto a = ask("a"), b = ask("b");
  CHECK(told.runs.size() == 1);
  end(0, built);
  CHECK(answer_to<stage_result>(a)->outcome == stage_outcome{built});
  CHECK(answer_to<stage_result>(b)->outcome == stage_outcome{built});
  auto later = answer_to<stage_result>(ask("later"));
  CHECK(std::get<compiled>(std::get<verdict>(later->outcome).finding).from_cache);
}

TEST_CASE_FIXTURE(compiling, "a build that was given up does not end an equal one that was asked for since") {
  auto first = ask("a");
  self->send(runner, cancel_stage{{"a"}});
  CHECK(answer_to<stage_result>(first)->outcome == stage_outcome{cancelled{}});
  CHECK(told.cancelled == std::vector<stage_id>{{"a"}});
  auto second = ask("b");
  REQUIRE(told.runs.size() == 2);
  end(0, cancelled{});
  end(1, built);
  CHECK(answer_to<stage_result>(second)->outcome == stage_outcome{built});
}

TEST_CASE_FIXTURE(testing::deterministic, "only what went down by itself is told as lost, not what was asked to end") {
  std::vector<event_kind> told;
  auto monitor = actors::spawn_monitor(system, {.on_event = [&](const event& x) { told.push_back(x.kind); }});
  auto scheduler_handle = actors::spawn_scheduler(system, monitor);
  self->send(scheduler_handle, resource_left{{"n/cpu:0"}, {failure_code::interrupted, "it gives up a stage"}});
  run();
  CHECK(told == std::vector{event_kind::resource_restarted});
  self->send(scheduler_handle, resource_left{{"n/cpu:0"}, {failure_code::worker_lost, "it crashed"}});
  run();
  CHECK(told == std::vector{event_kind::resource_restarted, event_kind::resource_left});
  for (auto end : {caf::actor_cast<caf::actor>(scheduler_handle), caf::actor_cast<caf::actor>(monitor)})
    self->send_exit(end, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(compiling, "a runner that ends answers those who wait") {
  auto waiting = ask("a");
  self->send_exit(runner, caf::exit_reason::kill);
  CHECK(answer_to<stage_result>(waiting).error().code == failure_code::actor_lost);
}

}  // namespace stage_runner_test
