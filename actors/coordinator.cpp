#include "actors/coordinator.hpp"

#include <algorithm>
#include <set>

#include "actors/clock.hpp"
#include "actors/disk_space.hpp"
#include "actors/live_run.hpp"
#include "actors/logic/status.hpp"
#include "messages/records/executor_report.hpp"

namespace actors {

namespace {

using namespace messages;

using private_actor = caf::typed_actor<ask<start_run, run_accepted>, ask<resume_run, run_accepted>,
                                       ask<await_run, run_status>, ask<status_request, status_reply>,
                                       ask<drain_request, drain_reply>, tell<job_ended>, tell<reminder>>;

class coordinator_state {
public:
  using pointer = private_actor::stateful_pointer<coordinator_state>;
  static inline const char* name = "coordinator";

  explicit coordinator_state(pointer self) : self_(self) {}
  ~coordinator_state();

  private_actor::behavior_type start(const coordinator_options& options);

private:
  // -- handlers -------------------------------------------------------------------------------------------------------

  caf::result<run_accepted> start_new(const start_run& x);
  caf::result<run_accepted> resume(const resume_run& x);
  caf::result<run_status> await(const await_run& x);
  caf::result<status_reply> status(const status_request& x);
  drain_reply drain(const drain_request& x);
  void ended(const job_ended& x);
  void lost(const caf::down_msg& x);
  void remind(const reminder& x);

  // -- the rest -------------------------------------------------------------------------------------------------------

  expected<void> check(const run_spec& spec) const;
  run_accepted take_up(const std::vector<fact>& facts);
  void fill(live_run& run);
  void spawn(live_run& run, const job_id& job, std::vector<fact> past);
  void restart(const run_id& run, const job_id& job);
  void stop_all(const std::string& why);
  void not_restarted(const run_id& run, const job_id& job);
  bool is_full(const failure& reason) const;
  void wait_for_room(const run_id& run, const job_id& job);
  void look_for_room(const run_id& run, const job_id& job);
  void later(std::chrono::milliseconds delay, std::function<void()> task);
  void go_on(live_run& run);
  void finish(live_run& run);
  void close(live_run& run, run_phase phase);
  run_status describe(const live_run& run) const;
  void tell_monitor(event_kind kind, const run_id& run, std::string text = {});

  pointer self_;
  coordinator_options options_;
  std::map<run_id, live_run> runs_;
  std::map<std::uint64_t, std::function<void()>> reminders_;
  std::uint64_t last_reminder_ = 0;
};

private_actor::behavior_type coordinator_state::start(const coordinator_options& options) {
  options_ = options;
  self_->set_down_handler([this](const caf::down_msg& x) { lost(x); });
  self_->monitor(options_.scheduler);
  self_->monitor(options_.journal);
  return {
      [this](const start_run& x) { return start_new(x); },
      [this](const resume_run& x) { return resume(x); },
      [this](const await_run& x) { return await(x); },
      [this](const status_request& x) { return status(x); },
      [this](const drain_request& x) { return drain(x); },
      [this](const job_ended& x) { ended(x); },
      [this](const reminder& x) { remind(x); },
  };
}

// -- runs come --------------------------------------------------------------------------------------------------------

expected<void> coordinator_state::check(const run_spec& spec) const {
  if (spec.jobs.empty()) return fail(failure_code::bad_input, "run " + spec.run.value + " has no jobs");
  std::set<job_id> ids;
  for (const auto& job : spec.jobs) {
    if (!ids.insert(job.job).second) return fail(failure_code::bad_input, "two jobs have the id " + job.job.value);
    if (auto agents = options_.agents.find(job.agents); !agents) return tl::unexpected{agents.error()};
    if (auto strategy = logic::make_strategy(job.strategy.name); !strategy) return tl::unexpected{strategy.error()};
  }
  return {};
}

caf::result<run_accepted> coordinator_state::start_new(const start_run& x) {
  if (auto fine = check(x.spec); !fine) return to_error(fine.error());
  auto promise = self_->make_response_promise<run_accepted>();
  append_facts first{x.spec.run, {{.at = wall_time(self_), .run = x.spec.run, .content = run_started{x.spec}}}};
  self_->request(options_.journal, options_.limits.journal, std::move(first))
      .then([this, promise](const facts_appended& reply) { deliver(promise, take_up(reply.facts)); },
            [promise](const caf::error& error) { deliver(promise, tl::unexpected{to_failure(error)}); });
  return promise;
}

caf::result<run_accepted> coordinator_state::resume(const resume_run& x) {
  if (auto known = runs_.find(x.run); known != runs_.end() && known->second.phase == run_phase::running)
    return to_error({failure_code::bad_input, "run " + x.run.value + " is running"});
  auto promise = self_->make_response_promise<run_accepted>();
  self_->request(options_.journal, options_.limits.journal, read_facts{x.run})
      .then([this, promise](const facts_read& reply) { deliver(promise, take_up(reply.facts)); },
            [promise](const caf::error& error) { deliver(promise, tl::unexpected{to_failure(error)}); });
  return promise;
}

/// A new run and one that is resumed begin alike: from the facts there are.
run_accepted coordinator_state::take_up(const std::vector<fact>& facts) {
  logic::run_state state;
  for (const auto& fact : facts) apply(state, fact);
  auto& run = runs_[state.spec.run];
  run = live_run{.spec = state.spec, .started = wall_time(self_) - state.took()};
  for (const auto& fact : facts) run.past[fact.job].push_back(fact);
  for (const auto& spec : run.spec.jobs) {
    const auto& job = state.jobs.at(spec.job);
    run.statuses[spec.job] = status_of(job);
    if (job.finished && !job.worth_another_try()) continue;
    run.statuses[spec.job].phase = "waiting";
    run.waiting.push_back(spec.job);
  }
  run_accepted reply{run.spec.run, static_cast<std::uint32_t>(run.spec.jobs.size()), state.jobs_finished()};
  tell_monitor(event_kind::run_started, run.spec.run, run.spec.name);
  if (state.finished && run.waiting.empty())
    close(run, run_phase::finished);
  else
    go_on(run);
  return reply;
}

caf::result<run_status> coordinator_state::await(const await_run& x) {
  auto run = runs_.find(x.run);
  if (run == runs_.end()) return to_error({failure_code::not_found, "no run " + x.run.value + " is driven here"});
  bool over = run->second.phase == run_phase::finished || run->second.phase == run_phase::interrupted;
  if (over) return describe(run->second);
  auto promise = self_->make_response_promise<run_status>();
  run->second.awaiters.push_back(promise);
  return promise;
}

// -- jobs run ---------------------------------------------------------------------------------------------------------

void coordinator_state::go_on(live_run& run) {
  if (run.phase == run_phase::running) fill(run);
  if (run.running() > 0) return;
  bool all = std::ranges::all_of(run.statuses, [](const auto& x) { return x.second.phase == "finished"; });
  if (all)
    finish(run);
  else if (run.phase == run_phase::draining || run.waiting.empty())
    close(run, run_phase::interrupted);
}

void coordinator_state::fill(live_run& run) {
  while (!run.waiting.empty() && run.running() < run.spec.parallel_jobs) {
    auto job = run.waiting.front();
    run.waiting.pop_front();
    auto past = run.past.extract(job);
    spawn(run, job, past ? std::move(past.mapped()) : std::vector<fact>{});
  }
}

void coordinator_state::spawn(live_run& run, const job_id& job, std::vector<fact> past) {
  auto spec = std::ranges::find(run.spec.jobs, job, &job_spec::job);
  job_options options{.run = run.spec.run, .spec = *spec, .past = std::move(past)};
  options.agents = *options_.agents.find(spec->agents);  // checked when the run was admitted
  options.services = {options_.scheduler, options_.journal, options_.monitor, coordinator_actor{self_}};
  options.store = options_.store;
  options.earlier = options_.earlier;
  options.limits = options_.limits;
  options.run_limits = options_.run_limits;
  options.queue_limit = options_.queue_limit;
  auto& entry = run.jobs[job];
  entry.running = true;
  entry.actor = spawn_job(self_->home_system(), options);
  self_->monitor(entry.actor);
}

void coordinator_state::ended(const job_ended& x) {
  auto run = runs_.find(x.run);
  if (run == runs_.end()) return;
  auto job = run->second.jobs.find(x.job);
  if (job == run->second.jobs.end() || !job->second.running) return;
  run->second.statuses[x.job] = x.status;
  if (!x.finished && run->second.phase == run_phase::running && is_full(x.reason)) return wait_for_room(x.run, x.job);
  job->second.running = false;
  bool drained = x.reason.code == failure_code::interrupted;
  if (!x.finished && !drained) run->second.statuses[x.job].remark = x.reason.detail;
  go_on(run->second);
}

/// A job actor that died without a word is a bug of ours; its facts are whole.
void coordinator_state::lost(const caf::down_msg& x) {
  if (x.source == options_.scheduler) return stop_all("the scheduler died");
  if (x.source == options_.journal) return stop_all("the journal died");
  for (auto& [id, run] : runs_)
    for (auto& [job, entry] : run.jobs) {
      if (!entry.running || x.source != entry.actor) continue;
      entry.running = false;
      tell_monitor(event_kind::warning, id, "job " + job.value + " died");
      if (++entry.restarts > options_.job_restarts || run.phase != run_phase::running) return go_on(run);
      entry.running = true;  // until it is there again, the run is not over
      later(options_.restart_delay * (1 << (entry.restarts - 1)), [this, id = id, job = job] { restart(id, job); });
      return;
    }
}

/// Without these nothing can go on in this process; what is journaled is whole, so a resume goes on.
void coordinator_state::stop_all(const std::string& why) {
  for (auto& [id, run] : runs_) {
    if (run.phase == run_phase::finished || run.phase == run_phase::interrupted) continue;
    for (auto& [job, status] : run.statuses)
      if (status.phase != "finished") status.remark = why;
    close(run, run_phase::interrupted);
  }
}

void coordinator_state::restart(const run_id& run, const job_id& job) {
  auto begin_again = [this, run, job](const facts_read& reply) {
    std::vector<fact> past;
    std::ranges::copy_if(reply.facts, std::back_inserter(past), [&](const fact& x) { return x.job == job; });
    if (runs_.at(run).phase == run_phase::running) return spawn(runs_.at(run), job, std::move(past));
    not_restarted(run, job);
  };
  auto give_up = [this, run, job](const caf::error&) { not_restarted(run, job); };
  self_->request(options_.journal, options_.limits.journal, read_facts{run}).then(begin_again, give_up);
}

/// It is drained meanwhile, or its facts can't be read.
void coordinator_state::not_restarted(const run_id& run, const job_id& job) {
  runs_.at(run).jobs.at(job).running = false;
  go_on(runs_.at(run));
}

void coordinator_state::later(std::chrono::milliseconds delay, std::function<void()> task) {
  auto number = ++last_reminder_;
  reminders_.emplace(number, std::move(task));
  self_->delayed_send(self_, delay, reminder{"later", number});
}

void coordinator_state::remind(const reminder& x) {
  if (auto task = reminders_.extract(x.number)) task.mapped()();
}

// -- the disk is full -------------------------------------------------------------------------------------------------

bool coordinator_state::is_full(const failure& reason) const {
  return options_.store && for_want_of_room(reason, options_.store->folder());
}

/// The job has ended; its facts are whole, so it begins again from them when there is room.
void coordinator_state::wait_for_room(const run_id& run, const job_id& job) {
  auto& x = runs_.at(run);
  if (!x.waits_for_room())
    tell_monitor(
        event_kind::warning, run,
        "the disk of " + options_.store->folder().string() + " is full: the run waits, and goes on when there is room");
  auto& entry = x.jobs.at(job);
  entry.waits_for_room = true;
  entry.actor = job_actor{};  // it has said that it ends
  x.statuses[job].remark = "waits for room on the disk";
  look_for_room(run, job);
}

void coordinator_state::look_for_room(const run_id& run, const job_id& job) {
  later(options_.room_interval, [this, run, job] {
    auto& x = runs_.at(run);
    auto& entry = x.jobs.at(job);
    if (!entry.waits_for_room || x.phase != run_phase::running) return;
    if (!has_room(options_.store->folder())) return look_for_room(run, job);
    entry.waits_for_room = false;
    if (!x.waits_for_room()) tell_monitor(event_kind::warning, run, "there is room on the disk: the run goes on");
    restart(run, job);
  });
}

// -- runs go ----------------------------------------------------------------------------------------------------------

void coordinator_state::finish(live_run& run) {
  append_facts last{run.spec.run, {{.at = wall_time(self_), .run = run.spec.run, .content = run_finished{}}}};
  auto id = run.spec.run;
  self_->request(options_.journal, options_.limits.journal, std::move(last))
      .then([this, id](const facts_appended&) { close(runs_.at(id), run_phase::finished); },
            [this, id](const caf::error& error) {
              auto reason = to_failure(error);
              tell_monitor(event_kind::warning, id, reason.detail);
              if (is_full(reason)) return later(options_.room_interval, [this, id] { go_on(runs_.at(id)); });
              close(runs_.at(id), run_phase::interrupted);
            });
}

void coordinator_state::close(live_run& run, run_phase phase) {
  run.phase = phase;
  run.past.clear();
  tell_monitor(event_kind::run_ended, run.spec.run, phase == run_phase::finished ? "finished" : "interrupted");
  for (auto& promise : std::exchange(run.awaiters, {})) deliver(promise, describe(run));
}

drain_reply coordinator_state::drain(const drain_request& x) {
  drain_reply reply;
  for (auto& [id, run] : runs_) {
    if (run.phase != run_phase::running || (!x.run.value.empty() && x.run != id)) continue;
    ++reply.runs;
    run.phase = run_phase::draining;
    for (auto& [job, entry] : run.jobs)
      if (std::exchange(entry.waits_for_room, false)) {
        entry.running = false;
        run.statuses[job].remark.clear();
      } else if (entry.running && entry.actor)
        self_->send(entry.actor, drain_job{});
    later(x.limit, [this, id = id] {
      if (runs_.at(id).phase == run_phase::draining) close(runs_.at(id), run_phase::interrupted);
    });
    go_on(run);
  }
  return reply;
}

// -- what is said -----------------------------------------------------------------------------------------------------

run_status coordinator_state::describe(const live_run& run) const {
  run_status x{.run = run.spec.run, .name = run.spec.name, .phase = run.phase};
  for (const auto& spec : run.spec.jobs) x.jobs.push_back(run.statuses.at(spec.job));
  x.elapsed = wall_time(self_) - run.started;
  return x;
}

/// Jobs that run are asked; a job that does not answer is shown as it was last known.
caf::result<status_reply> coordinator_state::status(const status_request& x) {
  auto promise = self_->make_response_promise<status_reply>();
  auto open = std::make_shared<std::size_t>(1);
  auto answer = [this, promise, open, x] {
    if (--*open > 0) return;
    status_reply reply;
    for (const auto& [id, run] : runs_)
      if (x.run.value.empty() || x.run == id) reply.runs.push_back(describe(run));
    deliver(promise, std::move(reply));
  };
  for (auto& [id, run] : runs_)
    for (auto& [job, entry] : run.jobs) {
      if (!entry.running || !entry.actor) continue;
      ++*open;
      self_->request(entry.actor, std::chrono::seconds{2}, job_status_request{})
          .then(
              [this, answer, id = id](const job_status& now) {
                runs_.at(id).statuses[now.job] = now;
                answer();
              },
              [answer](const caf::error&) { answer(); });
    }
  answer();
  return promise;
}

void coordinator_state::tell_monitor(event_kind kind, const run_id& run, std::string text) {
  self_->send(options_.monitor, event{.kind = kind, .run = run, .subject = run.value, .text = std::move(text)});
}

coordinator_state::~coordinator_state() {
  for (auto& [id, run] : runs_)
    for (auto& promise : run.awaiters)
      deliver(promise, tl::unexpected{failure{failure_code::actor_lost, "the coordinator ended"}});
}

}  // namespace

coordinator_actor spawn_coordinator(caf::actor_system& system, const coordinator_options& options) {
  return spawn_state<coordinator_state>(system, options);
}

}  // namespace actors
