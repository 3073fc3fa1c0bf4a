#include "actors/job.hpp"

#include <map>
#include <memory>

#include "actors/clock.hpp"
#include "actors/disk_space.hpp"
#include "actors/logic/status.hpp"
#include "actors/logic/strategy.hpp"
#include "actors/simplified_trace.hpp"
#include "messages/records/executor_report.hpp"

namespace actors {

namespace {

using namespace messages;
using logic::action;

/// CAF asks a state with a begin() and an end() whether it is a container: it has neither.
class job_state {
public:
  using pointer = private_job_actor::stateful_pointer<job_state>;
  static inline const char* name = "job";

  explicit job_state(pointer self) : self_(self) {}

  private_job_actor::behavior_type start(const job_options& options);

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
  void keep_plan(const logic::candidate_state& best);

  // -- what comes back ------------------------------------------------------------------------------------------------

  void planned(const question_id& question, const expected<plan_reply>& x);
  void written(const question_id& question, const expected<code_reply>& x);
  void advised(const question_id& question, const messages::plan& of, const expected<debug_reply>& x);
  void unanswered(const question_id& question, const failure& reason);
  void stage_ended(const stage_result& result);
  void judged(stage_result result);
  void record(const std::string& key, contents news);
  void recorded(const std::string& key, const facts_appended& x);
  void give_all_up();
  void report_best(const std::optional<candidate_id>& before);
  void leave(bool finished, failure reason);

  // -- the rest -------------------------------------------------------------------------------------------------------

  question_context about(const question_id& question) const;
  stage_request request_of(const logic::send_stage& x) const;
  void watch_the_time();
  void tell_monitor(event_kind kind, const std::string& subject, std::string text = {});

  pointer self_;
  job_options options_;
  logic::job_state job_;
  std::unique_ptr<logic::strategy> strategy_;
  logic::open_actions open_;
  std::optional<job_questions> questions_;
  std::set<stage_id> stages_;                    // that are out
  std::set<std::chrono::milliseconds> watched_;  // of its time, when it is looked at anew
  bool draining_ = false;
  bool finishing_ = false;
  bool ended_ = false;
};

private_job_actor::behavior_type job_state::start(const job_options& options) {
  options_ = options;
  job_ = logic::job_state{options.spec, options.run};
  for (const auto& fact : options_.past) apply(job_, fact);
  options_.past.clear();
  questions_.emplace(self_, options_.agents, options_.limits.questions,
                     [this](event_kind kind, const std::string& question, std::string text) {
                       tell_monitor(kind, question, std::move(text));
                     });
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
  record("start", {job_started{}});
}

/// Once it counts.
void job_state::watch_the_time() {
  if (!job_.clock) return;
  for (auto end : {time_to_search(job_), job_.spec.strategy.time_limit}) {
    if (!watched_.insert(end).second) continue;
    auto left = std::max(end - job_.spent(wall_time(self_)), std::chrono::milliseconds{0});
    self_->delayed_send(self_, left + std::chrono::milliseconds{1}, reminder{"time", 0});
  }
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
  step();
}

void job_state::remind(const reminder& x) {
  if (x.of == "time") return step();
  questions_->try_again(x.number);
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
  questions_->give_up();
  for (const auto& stage : std::exchange(stages_, {})) self_->send(options_.services.scheduler, cancel_stage{stage});
}

// -- what the strategy wants ------------------------------------------------------------------------------------------

void job_state::carry_out(const action& x) {
  open_.insert(key_of(x));
  std::visit([this](const auto& y) { act(y); }, x);
}

void job_state::act(const logic::ask_planner& x) {
  plan_request request{
      .about = about(x.question), .allow_library_calls = job_.spec.judge.allow_library_calls, .earlier = x.earlier};
  questions_->ask(request, [this, question = x.question](const expected<plan_reply>& y) { planned(question, y); });
}

void job_state::act(const logic::ask_coder& x) {
  code_request request{about(x.question), x.plan, std::nullopt, x.variation};
  if (x.parent) request.parent = job_.find(*x.parent)->made.manifest;
  questions_->ask(request, [this, question = x.question](const expected<code_reply>& y) { written(question, y); });
}

void job_state::act(const logic::ask_debugger& x) {
  auto candidate = job_.find(x.candidate);
  const auto& plan = candidate->made.plan;
  debug_request request{about(x.question), plan, candidate->made.manifest, *candidate->rejection, x.repairs};
  questions_->ask(request,
                  [this, question = x.question, plan](const expected<debug_reply>& y) { advised(question, plan, y); });
}

void job_state::act(const logic::send_stage& x) {
  stages_.insert(x.stage);
  self_->request(options_.services.scheduler, options_.limits.stage, request_of(x))
      .then([this](const stage_result& result) { stage_ended(result); },
            [this](const caf::error& error) { leave(false, to_failure(error)); });
}

void job_state::act(const logic::adopt_imported&) {
  auto manifest = options_.store->get_record<candidate_manifest>(job_.spec.imported);
  if (!manifest) return leave(false, manifest.error());
  record("adopt", {candidate_created{identify(*manifest), job_.spec.imported, *manifest, {}, {}}});
}

void job_state::act(const logic::finish_job& x) {
  finishing_ = true;
  if (x.how.best) keep_plan(*job_.find(*x.how.best));
  record("finish", {x.how});
}

/// Later jobs start from it; done again after a crash it changes nothing.
void job_state::keep_plan(const logic::candidate_state& best) {
  if (!options_.earlier || !job_.spec.strategy.earlier_plans || !job_.trace || !best.timing()) return;
  if (best.made.plan.groups.empty()) return;
  auto graph = options_.store->get_record<op_graph>(job_.trace->graph);
  if (!graph) return tell_monitor(event_kind::warning, job_.spec.job.value, graph.error().detail);
  tuned_plan news{.run = options_.run, .task_name = job_.spec.task_name, .plan = best.made.plan};
  news.speedup = best.speedup();
  auto kept = options_.earlier->keep(*graph, job_.spec.target.dsl, job_.trace->device, std::move(news));
  if (!kept) tell_monitor(event_kind::warning, job_.spec.job.value, kept.error().detail);
}

// -- what comes back --------------------------------------------------------------------------------------------------

void job_state::planned(const question_id& question, const expected<plan_reply>& x) {
  if (!x) return unanswered(question, x.error());
  record(question.value, {reply_received{question, agent_role::planner, *x}});
}

void job_state::written(const question_id& question, const expected<code_reply>& x) {
  if (!x) return unanswered(question, x.error());
  contents news{reply_received{question, agent_role::coder, *x}};
  if (x->manifest)
    news.push_back(candidate_created{identify(*x->manifest), x->manifest_blob, *x->manifest, question, x->plan});
  record(question.value, std::move(news));
}

void job_state::advised(const question_id& question, const messages::plan& of, const expected<debug_reply>& x) {
  if (!x) return unanswered(question, x.error());
  contents news{reply_received{question, agent_role::debugger, *x}};
  if (auto fixed = std::get_if<repaired>(&x->advice))
    news.push_back(candidate_created{identify(fixed->manifest), fixed->manifest_blob, fixed->manifest, question, of});
  record(question.value, std::move(news));
}

/// Who drains asked for it; else the job waits for a resume.
void job_state::unanswered(const question_id& question, const failure& reason) {
  if (ended_) return;
  if (!draining_) return leave(false, reason);
  open_.erase(question.value);
  step();
}

void job_state::stage_ended(const stage_result& result) {
  stages_.erase(result.stage);
  if (ended_) return;
  if (std::holds_alternative<verdict>(result.outcome)) return judged(result);
  if (auto why = std::get_if<failure>(&result.outcome); why && !draining_) {
    bool full = options_.store && for_want_of_room(*why, options_.store->folder());
    return full ? leave(false, *why) : record(result.stage.value, {stage_failed{result}});
  }
  open_.erase(result.stage.value);  // cancelled: the next resume sends it again
  step();
}

/// What algebra makes of a traced task is one fact with the trace: a plan never outlives the graph that it refers to.
void job_state::judged(stage_result result) {
  auto& finding = std::get<verdict>(result.outcome).finding;
  if (auto trace = std::get_if<traced>(&finding)) {
    auto whole = simplified_trace(*trace, *options_.store);
    if (!whole) return leave(false, whole.error());
    *trace = *std::move(whole);
  }
  auto key = result.stage.value;
  record(key, {stage_finished{std::move(result)}});
}

/// On disk first, then it is known, then it is acted on.
void job_state::record(const std::string& key, contents news) {
  append_facts request{options_.run, {}};
  for (auto& content : news) {
    if (auto made = std::get_if<candidate_created>(&content))
      tell_monitor(event_kind::candidate_created, made->candidate.value, made->manifest.dsl);
    request.facts.push_back(
        {.at = wall_time(self_), .run = options_.run, .job = job_.spec.job, .content = std::move(content)});
  }
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
  watch_the_time();
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
  question_context x{.question = question,
                     .run = options_.run,
                     .job = job_.spec.job,
                     .task = job_.task(),
                     .graph = job_.trace->planned(),
                     .target = job_.spec.target,
                     .device = job_.trace->device,
                     .seed = job_.spec.seed};
  for (const auto& other : job_.trace->others) x.other_graphs.push_back(other.planned());
  return x;
}

stage_request job_state::request_of(const logic::send_stage& x) const {
  stage_request request{.stage = x.stage, .kind = x.kind, .run = options_.run, .job = job_.spec.job};
  request.task = job_.task();
  request.target = job_.spec.target;
  request.judge = judge_of(job_.spec, x);
  request.queue_limit = options_.queue_limit;
  if (job_.trace && request.target.arch.empty()) request.target.arch = job_.trace->device.arch;
  if (auto limit = options_.run_limits.find(x.kind); limit != options_.run_limits.end())
    request.run_limit = limit->second;
  if (!x.candidate) {
    request.target.dsl.clear();  // a trace is the device's alone
    return request;
  }
  if (job_.trace) request.input_bytes = job_.trace->input_bytes;
  if (job_.trace && x.kind == stage_kind::profile) request.graph = job_.trace->planned();
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
