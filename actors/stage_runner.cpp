#include "actors/stage_runner.hpp"

#include <chrono>
#include <map>

#include "actors/logic/result_cache.hpp"
#include "messages/records/content_hash.hpp"
#include "messages/records/executor_report.hpp"

namespace actors {

namespace {

using namespace messages;

/// What others see, and what the executor's threads post.
using runner_actor = caf::typed_actor<ask<stage_request, stage_result>, tell<cancel_stage>, tell<executor_ready>,
                                      tell<executor_down>, tell<executor_ended>, tell<reminder>>;

class stage_runner_state : devices::timer {
public:
  using pointer = runner_actor::stateful_pointer<stage_runner_state>;
  static inline const char* name = "stage_runner";

  explicit stage_runner_state(pointer self) : self_(self) {}
  ~stage_runner_state() override { fail_all(); }

  runner_actor::behavior_type start(const resource_taker_actor& resources, const progress_taker_actor& progress,
                                    const stage_runner_options& options, const executor_factory& make);

private:
  struct asker {
    stage_request request;
    std::string key;
    std::chrono::steady_clock::time_point since;
    caf::typed_response_promise<stage_result> promise;
  };

  struct execution {
    std::uint32_t attempt = 1;
    std::string key;
  };

  // -- handlers -------------------------------------------------------------------------------------------------------

  caf::result<stage_result> run(const stage_request& request);
  void cancel(const cancel_stage& x);
  void ready();
  void down(const executor_down& x);
  void ended(const executor_ended& x);
  void fire(const reminder& x);

  // -- the rest -------------------------------------------------------------------------------------------------------

  void after(std::chrono::microseconds delay, std::function<void()> task) override;
  std::string key_of(const stage_request& request) const;
  void execute(const stage_request& request);
  void answer(const stage_id& stage, const stage_outcome& outcome);
  void fail_all();

  pointer self_;
  resource_taker_actor resources_;
  progress_taker_actor progress_;
  stage_runner_options options_;
  logic::result_cache cache_{0};
  std::map<stage_id, asker> askers_;
  std::map<stage_id, execution> running_;  // what the executor has
  std::map<std::uint64_t, std::function<void()>> timers_;
  std::uint64_t last_timer_ = 0;
  std::unique_ptr<devices::executor> executor_;  // last: ends first, and reports to what is above
};

runner_actor::behavior_type stage_runner_state::start(const resource_taker_actor& resources,
                                                      const progress_taker_actor& progress,
                                                      const stage_runner_options& options,
                                                      const executor_factory& make) {
  resources_ = resources;
  progress_ = progress;
  options_ = options;
  cache_ = logic::result_cache{options.cached_results};
  self_->send(resources_, options_.offer);
  executor_ = make(*this);
  runner_actor me{self_};
  executor_->start({[me] { caf::anon_send(me, executor_ready{}); },
                    [me](failure reason) { caf::anon_send(me, executor_down{std::move(reason)}); }});
  return {
      [this](const stage_request& x) { return run(x); }, [this](const cancel_stage& x) { cancel(x); },
      [this](const executor_ready&) { ready(); },        [this](const executor_down& x) { down(x); },
      [this](const executor_ended& x) { ended(x); },     [this](const reminder& x) { fire(x); },
  };
}

verdict remembered(verdict x) {
  if (auto build = std::get_if<compiled>(&x.finding)) build->from_cache = true;
  return x;
}

// -- what is asked ----------------------------------------------------------------------------------------------------

caf::result<stage_result> stage_runner_state::run(const stage_request& request) {
  auto promise = self_->make_response_promise<stage_result>();
  auto key = key_of(request);
  auto [place, added] = askers_.try_emplace(request.stage, asker{request, key, self_->clock().now(), promise});
  if (!added) {
    deliver(promise, stage_result{request.stage,
                                  request.attempt,
                                  request.kind,
                                  request.candidate,
                                  failure{failure_code::overloaded, "this stage runs here already"},
                                  {}});
    return promise;
  }
  switch (cache_.ask(key, request.stage)) {
    case logic::result_cache::decision::answer: answer(request.stage, remembered(*cache_.find(key))); break;
    case logic::result_cache::decision::run: execute(request); break;
    case logic::result_cache::decision::wait: break;
  }
  return promise;
}

void stage_runner_state::execute(const stage_request& request) {
  running_[request.stage] = {request.attempt, key_of(request)};
  runner_actor me{self_};
  auto ended = [me, stage = request.stage, attempt = request.attempt](stage_outcome outcome) {
    caf::anon_send(me, executor_ended{stage, attempt, std::move(outcome)});
  };
  auto progress = [taker = progress_](stage_progress x) { caf::anon_send(taker, std::move(x)); };
  executor_->run(request, {ended, progress});
}

void stage_runner_state::cancel(const cancel_stage& x) {
  auto place = askers_.find(x.stage);
  if (place == askers_.end()) return;
  auto key = place->second.key;
  bool nobody = cache_.withdraw(key, x.stage);
  answer(x.stage, cancelled{});
  if (!nobody) return;
  for (auto& [stage, run] : running_)
    if (run.key == key) {
      run.key.clear();  // an equal request from now on is a run of its own
      return executor_->cancel(stage);
    }
}

// -- what the executor reports ----------------------------------------------------------------------------------------

void stage_runner_state::ready() {
  self_->send(resources_, resource_joined{options_.offer, stage_runner_actor{self_}});
}

void stage_runner_state::down(const executor_down& x) {
  self_->send(resources_, resource_left{options_.offer.name, x.reason});
}

void stage_runner_state::ended(const executor_ended& x) {
  auto run = running_.find(x.stage);
  if (run == running_.end() || run->second.attempt != x.attempt) return;  // given up, and sent again since
  auto key = std::move(run->second.key);
  running_.erase(run);
  if (key.empty()) return;  // nobody waits for it any more
  for (const auto& stage : cache_.finish(key, x.outcome)) answer(stage, x.outcome);
}

void stage_runner_state::answer(const stage_id& stage, const stage_outcome& outcome) {
  auto who = askers_.extract(stage);
  if (!who) return;
  auto& [request, key, since, promise] = who.mapped();
  stage_result result{request.stage, request.attempt, request.kind, request.candidate, outcome, options_.offer.name};
  result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - since);
  deliver(promise, std::move(result));
}

/// CAF would let the askers run into their timeouts.
void stage_runner_state::fail_all() {
  executor_.reset();
  for (auto& [stage, who] : std::exchange(askers_, {}))
    deliver(who.promise, tl::unexpected{failure{failure_code::actor_lost, options_.offer.name.value + " ended"}});
}

// -- the executor's clock ---------------------------------------------------------------------------------------------

void stage_runner_state::after(std::chrono::microseconds delay, std::function<void()> task) {
  timers_.emplace(++last_timer_, std::move(task));
  self_->delayed_send(self_, delay, reminder{"timer", last_timer_});
}

void stage_runner_state::fire(const reminder& x) {
  if (auto task = timers_.extract(x.number)) task.mapped()();
}

/// Where nothing is kept, no two stages are equal.
std::string stage_runner_state::key_of(const stage_request& request) const {
  if (options_.cached_results == 0) return request.stage.value;
  return content_hash(request.candidate.value + '\n' + request.target.arch + '\n' + executor_->toolchain() + '\n'
                      + std::to_string(static_cast<int>(request.kind)));
}

}  // namespace

stage_runner_actor spawn_stage_runner(caf::actor_system& system, const resource_taker_actor& resources,
                                      const progress_taker_actor& progress, const stage_runner_options& options,
                                      executor_factory make) {
  return spawn_state<stage_runner_state>(system, resources, progress, options, std::move(make));
}

}  // namespace actors
