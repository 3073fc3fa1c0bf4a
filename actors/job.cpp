#include "actors/job.hpp"

#include <functional>
#include <map>
#include <memory>

#include "actors/clock.hpp"
#include "actors/logic/status.hpp"
#include "actors/logic/strategy.hpp"
#include "messages/records/executor_report.hpp"

namespace actors {

namespace {

using namespace messages;
using logic::action;

using private_actor = caf::typed_actor<ask<job_status_request, job_status>, tell<drain_job>, tell<reminder>>;

/// CAF asks a state with a begin() and an end() whether it is a container: it has neither.
class job_state {
public:
  using pointer = private_actor::stateful_pointer<job_state>;
  static inline const char* name = "job";

  explicit job_state(pointer self) : self_(self) {}

  private_actor::behavior_type start(const job_options& options);

private:
  using contents = std::vector<decltype(fact::content)>;

  void take_up();
  void step();
  void drain();
  void remind(const reminder& x);

  // -- what the strategy wants ----------------------------------------------------------------------------------------

  void carry_out(const action& x);
  void act(const logic::ask_planner& x);
  void act(const logic::ask_coder& x);
  void act(const logic::ask_debugger& x);
  void act(const logic::send_stage& x);
  void act(const logic::adopt_imported& x);
  void act(const logic::finish_job& x);

  // -- what comes back ------------------------------------------------------------------------------------------------

  void answered(const question_id& question, agent_role role, decltype(reply_received::reply) reply,
                contents more = {});
  void unanswered(const action& x, const failure& reason);
  void stage_ended(const stage_result& result);
  void record(const std::string& key, contents news);
  void recorded(const std::string& key, const facts_appended& x);
  void give_all_up();
  void report_best(const std::optional<candidate_id>& before);
  void leave(bool finished, failure reason);

  // -- the rest -------------------------------------------------------------------------------------------------------

  question_context about(const question_id& question) const;
  stage_request request_of(const logic::send_stage& x) const;
  template <class Handle, class Request, class F>
  void ask_agent(const Handle& agent, const Request& request, const action& what, F use);
  void tell_monitor(event_kind kind, const std::string& subject, std::string text = {});

  pointer self_;
  job_options options_;
  logic::job_state job_;
  std::unique_ptr<logic::strategy> strategy_;
  logic::open_actions open_;
  std::map<std::string, std::function<void()>> give_up_;  // of what is out: stages and questions
  std::map<std::string, std::uint32_t> tries_;            // of questions that failed
  std::map<std::uint64_t, action> retries_;               // waiting for their reminder
  std::uint64_t last_retry_ = 0;
  bool draining_ = false;
  bool finishing_ = false;
  bool ended_ = false;
};

private_actor::behavior_type job_state::start(const job_options& options) {
  options_ = options;
  job_ = logic::job_state{options.spec, options.run};
  for (const auto& fact : options_.past) apply(job_, fact);
  options_.past.clear();
  take_up();
  return {
      [this](const job_status_request&) { return status_of(job_, open_); },
      [this](const drain_job&) { drain(); },
      [this](const reminder& x) { remind(x); },
  };
}

// -- its life ---------------------------------------------------------------------------------------------------------

void job_state::take_up() {
  auto strategy = logic::make_strategy(job_.spec.strategy.name);
  if (!strategy) return leave(false, strategy.error());
  strategy_ = std::move(*strategy);
  tell_monitor(event_kind::job_started, job_.spec.job.value, job_.spec.task_name);
  auto used = job_.started ? wall_time(self_) - *job_.started : std::chrono::milliseconds{0};
  auto left = std::max(job_.spec.strategy.time_limit - used, std::chrono::milliseconds{0});
  self_->delayed_send(self_, left + std::chrono::milliseconds{1}, reminder{"time", 0});
  if (!job_.started) return record("start", {job_started{}});
  step();
}

void job_state::step() {
  if (ended_) return;
  if (job_.finished) return leave(true, {});
  if (draining_) {
    if (open_.empty()) leave(false, {failure_code::interrupted, "it was drained"});
    return;
  }
  if (finishing_) return;
  for (const auto& x : next_actions(job_, *strategy_, open_, wall_time(self_))) carry_out(x);
}

/// What runs is given back: it runs again when the run is resumed.
void job_state::drain() {
  draining_ = true;
  give_all_up();
  for (const auto& [number, what] : std::exchange(retries_, {})) open_.erase(key_of(what));
  step();
}

void job_state::remind(const reminder& x) {
  if (x.of == "time") return step();
  if (auto what = retries_.extract(x.number)) std::visit([this](const auto& y) { act(y); }, what.mapped());
}

void job_state::leave(bool finished, failure reason) {
  ended_ = true;
  give_all_up();
  tell_monitor(event_kind::job_ended, job_.spec.job.value, job_.finished ? job_.finished->stopped_by : reason.detail);
  self_->send(options_.services.coordinator,
              job_ended{options_.run, job_.spec.job, finished, status_of(job_), std::move(reason)});
  self_->quit();
}

void job_state::give_all_up() {
  for (const auto& [key, give_up] : std::exchange(give_up_, {})) give_up();
}

// -- what the strategy wants ------------------------------------------------------------------------------------------

void job_state::carry_out(const action& x) {
  open_.insert(key_of(x));
  std::visit([this](const auto& y) { act(y); }, x);
}

template <class Handle, class Request, class F>
void job_state::ask_agent(const Handle& agent, const Request& request, const action& what, F use) {
  tell_monitor(event_kind::question_asked, request.about.question.value);
  give_up_[key_of(what)] = [this, agent, about = request.about] {
    self_->send(agent, cancel_question{about.run, about.job, about.question});
  };
  self_->request(agent, options_.limits.question, request).then(std::move(use), [this, what](const caf::error& error) {
    unanswered(what, to_failure(error));
  });
}

void job_state::act(const logic::ask_planner& x) {
  ask_agent(options_.agents.planner, plan_request{about(x.question)}, x,
            [this, x](const plan_reply& reply) { answered(x.question, agent_role::planner, reply); });
}

void job_state::act(const logic::ask_coder& x) {
  code_request request{about(x.question), x.plan, std::nullopt, x.variation};
  if (x.parent) request.parent = job_.find(*x.parent)->made.manifest;
  ask_agent(options_.agents.coder, request, x, [this, x](const code_reply& reply) {
    contents more;
    if (reply.manifest)
      more.push_back(
          candidate_created{identify(*reply.manifest), reply.manifest_blob, *reply.manifest, x.question, reply.plan});
    answered(x.question, agent_role::coder, reply, std::move(more));
  });
}

void job_state::act(const logic::ask_debugger& x) {
  auto candidate = job_.find(x.candidate);
  debug_request request{about(x.question), candidate->made.plan, candidate->made.manifest, *candidate->rejection,
                        x.repairs};
  ask_agent(options_.agents.debugger, request, x, [this, x, plan = candidate->made.plan](const debug_reply& reply) {
    contents more;
    if (auto fixed = std::get_if<repaired>(&reply.advice))
      more.push_back(
          candidate_created{identify(fixed->manifest), fixed->manifest_blob, fixed->manifest, x.question, plan});
    answered(x.question, agent_role::debugger, reply, std::move(more));
  });
}

void job_state::act(const logic::send_stage& x) {
  give_up_[x.stage.value] = [this, x] { self_->send(options_.services.scheduler, cancel_stage{x.stage}); };
  self_->request(options_.services.scheduler, options_.limits.stage, request_of(x))
      .then([this](const stage_result& result) { stage_ended(result); },
            [this, x](const caf::error& error) { leave(false, to_failure(error)); });
}

void job_state::act(const logic::adopt_imported&) {
  auto manifest = options_.store->get_record<candidate_manifest>(job_.spec.imported);
  if (!manifest) return leave(false, manifest.error());
  record("adopt", {candidate_created{identify(*manifest), job_.spec.imported, *manifest, {}, {}}});
}

void job_state::act(const logic::finish_job& x) {
  finishing_ = true;
  record("finish", {x.how});
}

// -- what comes back --------------------------------------------------------------------------------------------------

void job_state::answered(const question_id& question, agent_role role, decltype(reply_received::reply) reply,
                         contents more) {
  give_up_.erase(question.value);
  tell_monitor(event_kind::question_answered, question.value);
  contents news{reply_received{question, role, std::move(reply)}};
  for (auto& x : more) {
    if (auto made = std::get_if<candidate_created>(&x))
      tell_monitor(event_kind::candidate_created, made->candidate.value, made->manifest.dsl);
    news.push_back(std::move(x));
  }
  record(question.value, std::move(news));
}

/// Agents fail as machinery fails: a question is asked again, and then the job waits for a resume.
void job_state::unanswered(const action& x, const failure& reason) {
  give_up_.erase(key_of(x));
  if (ended_) return;
  auto tries = ++tries_[key_of(x)];
  tell_monitor(event_kind::warning, key_of(x), reason.detail);
  if (draining_) {
    open_.erase(key_of(x));
    return step();
  }
  if (tries >= options_.limits.question_attempts) return leave(false, reason);
  retries_.emplace(++last_retry_, x);
  self_->delayed_send(self_, options_.limits.question_retry_delay * (1 << (tries - 1)), reminder{"retry", last_retry_});
}

void job_state::stage_ended(const stage_result& result) {
  give_up_.erase(result.stage.value);
  if (ended_) return;
  if (std::holds_alternative<verdict>(result.outcome)) return record(result.stage.value, {stage_finished{result}});
  if (std::holds_alternative<failure>(result.outcome) && !draining_)
    return record(result.stage.value, {stage_failed{result}});
  open_.erase(result.stage.value);  // cancelled: the next resume sends it again
  step();
}

/// On disk first, then it is known, then it is acted on.
void job_state::record(const std::string& key, contents news) {
  append_facts request{options_.run, {}};
  for (auto& content : news)
    request.facts.push_back(
        {.at = wall_time(self_), .run = options_.run, .job = job_.spec.job, .content = std::move(content)});
  self_->request(options_.services.journal, options_.limits.journal, std::move(request))
      .then([this, key](const facts_appended& x) { recorded(key, x); },
            [this](const caf::error& error) { leave(false, to_failure(error)); });
}

void job_state::recorded(const std::string& key, const facts_appended& x) {
  if (ended_) return;
  auto best = job_.best();
  auto before = best ? std::optional{best->id()} : std::nullopt;
  for (const auto& fact : x.facts) apply(job_, fact);
  open_.erase(key);
  report_best(before);
  step();
}

void job_state::report_best(const std::optional<candidate_id>& before) {
  auto best = job_.best();
  if (!best || before == best->id()) return;
  char text[64];
  std::snprintf(text, sizeof text, "%.2fx over eager", best->speedup());
  tell_monitor(event_kind::new_best, best->id().value, best->timing() ? text : "correct");
}

// -- the rest ---------------------------------------------------------------------------------------------------------

question_context job_state::about(const question_id& question) const {
  return {question,          options_.run,     job_.spec.job,      job_.spec.task,
          job_.trace->graph, job_.spec.target, job_.trace->device, job_.spec.seed};
}

stage_request job_state::request_of(const logic::send_stage& x) const {
  stage_request request{.stage = x.stage, .kind = x.kind, .run = options_.run, .job = job_.spec.job};
  request.task = job_.spec.task;
  request.target = job_.spec.target;
  request.judge = job_.spec.judge;
  request.queue_limit = options_.queue_limit;
  if (job_.trace && request.target.arch.empty()) request.target.arch = job_.trace->device.arch;
  if (auto limit = options_.run_limits.find(x.kind); limit != options_.run_limits.end())
    request.run_limit = limit->second;
  if (!x.candidate) {
    request.target.dsl.clear();  // a trace is the device's alone
    return request;
  }
  const auto& candidate = *job_.find(*x.candidate);
  request.candidate = candidate.id();
  request.manifest = candidate.made.manifest_blob;
  request.target.dsl = candidate.made.manifest.dsl;
  if (auto build = candidate.found<compiled>(stage_kind::compile)) request.artifact = build->artifact;
  return request;
}

void job_state::tell_monitor(event_kind kind, const std::string& subject, std::string text) {
  self_->send(
      options_.services.monitor,
      event{.kind = kind, .run = options_.run, .job = job_.spec.job, .subject = subject, .text = std::move(text)});
}

}  // namespace

job_actor spawn_job(caf::actor_system& system, const job_options& options) {
  return spawn_state<job_state>(system, options);
}

}  // namespace actors
