#include "actors/scheduler.hpp"

#include <map>
#include <vector>

#include "actors/logic/status.hpp"
#include "messages/records/executor_report.hpp"

namespace actors {

namespace {

using namespace messages;
using namespace std::literals;
using logic::instant;

using private_actor =
    caf::typed_actor<ask<stage_request, stage_result>, tell<cancel_stage>, tell<resource_offer>, tell<resource_joined>,
                     tell<resource_left>, ask<resources_request, resources_reply>, tell<reminder>>;

class scheduler_state {
public:
  using pointer = private_actor::stateful_pointer<scheduler_state>;
  static inline const char* name = "scheduler";

  explicit scheduler_state(pointer self) : self_(self) {}
  ~scheduler_state() { fail_all(); }

  private_actor::behavior_type start(const monitor_actor& monitor, const logic::schedule_options& options);

private:
  caf::result<stage_result> submit(const stage_request& request);
  void cancel(const cancel_stage& x);
  void announce(const resource_offer& x);
  void join(const resource_joined& x);
  void leave(const resource_left& x);
  void lost(const caf::down_msg& x);

  void carry_out();
  void effect(const logic::grant& x);
  void effect(const logic::revoke& x);
  void effect(const logic::settle& x);
  void arm_timer();
  void tell_monitor(event_kind kind, const std::string& subject, std::string text = {});
  void fail_all();
  instant now() const { return self_->clock().now(); }

  pointer self_;
  monitor_actor monitor_;
  logic::stage_schedule schedule_;
  std::map<resource_name, stage_runner_actor> runners_;
  std::map<stage_id, std::vector<caf::typed_response_promise<stage_result>>> askers_;
  std::map<stage_id, stage_request> requests_;  // what was asked, for events
  std::optional<instant> timer_;
  std::chrono::milliseconds lease_margin_{0};
};

private_actor::behavior_type scheduler_state::start(const monitor_actor& monitor,
                                                    const logic::schedule_options& options) {
  monitor_ = monitor;
  schedule_ = logic::stage_schedule{options};
  lease_margin_ = options.lease_margin;
  self_->set_down_handler([this](const caf::down_msg& x) { lost(x); });
  return {
      [this](const stage_request& x) { return submit(x); },
      [this](const cancel_stage& x) { cancel(x); },
      [this](const resource_offer& x) { announce(x); },
      [this](const resource_joined& x) { join(x); },
      [this](const resource_left& x) { leave(x); },
      [this](const resources_request&) { return schedule_.resources(); },
      [this](const reminder&) { timer_.reset(), schedule_.tick(now()), carry_out(); },
  };
}

// -- what comes in ----------------------------------------------------------------------------------------------------

caf::result<stage_result> scheduler_state::submit(const stage_request& request) {
  auto promise = self_->make_response_promise<stage_result>();
  askers_[request.stage].push_back(promise);
  if (requests_.try_emplace(request.stage, request).second) tell_monitor(event_kind::stage_queued, request.stage.value);
  schedule_.submit(request, now());
  carry_out();
  return promise;
}

void scheduler_state::cancel(const cancel_stage& x) {
  schedule_.cancel(x.stage, now());
  carry_out();
}

void scheduler_state::announce(const resource_offer& x) {
  schedule_.announce(x, now());
  carry_out();
}

void scheduler_state::join(const resource_joined& x) {
  self_->monitor(x.runner);
  runners_[x.offer.name] = x.runner;
  schedule_.join(x.offer, now());
  tell_monitor(event_kind::resource_joined, x.offer.name.value);
  carry_out();
}

void scheduler_state::leave(const resource_left& x) {
  schedule_.rest(x.name, x.reason, now());
  bool asked = x.reason.code == failure_code::interrupted;
  tell_monitor(asked ? event_kind::resource_restarted : event_kind::resource_left, x.name.value, x.reason.detail);
  carry_out();
}

void scheduler_state::lost(const caf::down_msg& x) {
  for (const auto& [name, runner] : std::map{runners_})
    if (x.source == runner) {
      runners_.erase(name);
      failure why{failure_code::actor_lost, name.value + " ended"};
      schedule_.leave(name, why, now());
      leave({name, why});
    }
}

// -- what is to be done -----------------------------------------------------------------------------------------------

void scheduler_state::carry_out() {
  for (const auto& x : schedule_.take_effects()) std::visit([this](const auto& y) { effect(y); }, x);
  arm_timer();
}

void scheduler_state::effect(const logic::grant& x) {
  tell_monitor(event_kind::stage_started, x.request.stage.value, x.resource.value);
  auto limit = x.request.run_limit + 2 * lease_margin_;  // the lease in the schedule comes first
  auto ended = [this, where = x.resource](const stage_result& result) {
    schedule_.ended(where, result, now());
    carry_out();
  };
  auto failed = [ended, request = x.request](const caf::error& error) {
    ended({request.stage, request.attempt, request.kind, request.candidate, to_failure(error), {}});
  };
  self_->request(runners_.at(x.resource), limit, x.request).then(ended, failed);
}

void scheduler_state::effect(const logic::revoke& x) {
  if (auto runner = runners_.find(x.resource); runner != runners_.end())
    self_->send(runner->second, cancel_stage{x.stage});
}

void scheduler_state::effect(const logic::settle& x) {
  tell_monitor(event_kind::stage_ended, x.result.stage.value, logic::summary_of(x.result));
  requests_.erase(x.result.stage);
  if (auto askers = askers_.extract(x.result.stage))
    for (auto& promise : askers.mapped()) deliver(promise, x.result);
}

/// One timer, for the earliest deadline; a timer that comes too early does no harm.
void scheduler_state::arm_timer() {
  auto next = schedule_.next_deadline();
  if (!next || (timer_ && *timer_ <= *next)) return;
  timer_ = next;
  auto delay = std::chrono::duration_cast<std::chrono::milliseconds>(*next - now()) + 1ms;
  self_->delayed_send(self_, std::max(delay, 0ms), reminder{"deadline", 0});
}

void scheduler_state::tell_monitor(event_kind kind, const std::string& subject, std::string text) {
  event x{.kind = kind, .subject = subject, .text = std::move(text)};
  if (auto request = requests_.find({subject}); request != requests_.end()) {
    x.run = request->second.run;
    x.job = request->second.job;
  }
  self_->send(monitor_, std::move(x));
}

/// CAF would let the askers run into their timeouts.
void scheduler_state::fail_all() {
  for (auto& [stage, promises] : std::exchange(askers_, {}))
    for (auto& promise : promises)
      deliver(promise, tl::unexpected{failure{failure_code::actor_lost, "the scheduler ended"}});
}

}  // namespace

scheduler_actor spawn_scheduler(caf::actor_system& system, const monitor_actor& monitor,
                                const logic::schedule_options& options) {
  return spawn_state<scheduler_state>(system, monitor, options);
}

}  // namespace actors
