#include "actors/logic/job_state.hpp"

#include <algorithm>

namespace actors::logic {

using namespace messages;

const messages::timing* candidate_state::timing() const {
  auto found_time = found<timed>(stage_kind::time);
  return found_time ? &found_time->timing : nullptr;
}

double candidate_state::speedup() const {
  auto times = timing();
  return times && correct() ? times->speedup_eager.value : 0;
}

candidate_state* job_state::find(const candidate_id& id) {
  auto place = std::ranges::find(candidates, id, &candidate_state::id);
  return place == candidates.end() ? nullptr : &*place;
}

const candidate_state* job_state::find(const candidate_id& id) const { return const_cast<job_state*>(this)->find(id); }

const candidate_state* job_state::best() const {
  if (!gains.empty()) return find(gains.back());
  auto first = std::ranges::find_if(candidates, [&](const auto& x) { return x.correct() && !spec.time; });
  return first == candidates.end() ? nullptr : &*first;
}

std::chrono::milliseconds job_state::spent(time_point now) const {
  return worked + (clock ? std::max(now - *clock, std::chrono::milliseconds{0}) : std::chrono::milliseconds{0});
}

std::uint32_t job_state::correct() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(candidates, &candidate_state::correct));
}

std::uint32_t job_state::not_judged() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(candidates, &candidate_state::not_judged));
}

const blob_hash& job_state::task() const { return trace && !trace->task.value.empty() ? trace->task : spec.task; }

std::string sentence_of(const kernel_failure& x) {
  auto line = x.details.find("line");
  bool said = line == x.details.end() || x.message.ends_with(" of the task)");  // as older journals have it
  return said ? x.message : x.message + " (line " + line->second + " of the task)";
}

bool is_slower(const candidate_state& candidate, const candidate_state& best) {
  auto times = candidate.timing();
  auto of_best = best.timing();
  return times && of_best && times->speedup_eager.high < of_best->speedup_eager.low;
}

bool beats_roofline(const timing& x) {
  constexpr double scatter = 1.1;
  auto beyond = [](const auto& y) { return y.roofline_share.value_or(0) > scatter; };
  return beyond(x) || std::ranges::any_of(x.shapes, beyond);
}

bool is_timed_once(const job_state& job, const candidate_state& candidate) {
  return job.spec.imported.value.empty() && candidate.timing() && !candidate.steps.contains(timing_step::again);
}

stage_id stage_of(const job_state& job, const candidate_id& candidate, stage_kind kind, timing_step step) {
  auto who = candidate.value.empty() ? std::string{"task"} : candidate.value;
  std::string what{enum_names(kind)[static_cast<std::size_t>(kind)]};
  if (step == timing_step::screen) what += "-screen";
  if (step == timing_step::again) what += "-again";
  return {job.run.value + '/' + job.spec.job.value + '/' + who + '/' + what};
}

namespace {

timing_step step_of(const job_state& job, const stage_result& x) {
  for (auto step : {timing_step::screen, timing_step::again})
    if (x.stage == stage_of(job, x.candidate, stage_kind::time, step)) return step;
  return timing_step::full;
}

/// A short look can only rule a candidate out: the best is what was timed in full.
void note_screen(job_state& job, const candidate_state& candidate) {
  if (auto best = job.best(); best && is_slower(candidate, *best)) ++job.since_gain;
}

void note_time(job_state& job, const candidate_state& candidate) {
  auto best = job.best();
  bool gain = !best || candidate.speedup() > best->speedup() * least_gain;
  if (gain) job.gains.push_back(candidate.id());
  job.since_gain = gain ? 0 : job.since_gain + 1;
}

/// Null where none has come so far.
const candidate_state* fastest_of(const job_state& job, timing_step step) {
  const candidate_state* fastest = nullptr;
  for (const auto& x : job.candidates)
    if (x.correct() && x.steps.contains(step) && (!fastest || x.speedup() > fastest->speedup())) fastest = &x;
  return fastest;
}

/// The fastest by second timings is the best: a first one that is higher may be luck until it has its own.
void note_time_again(job_state& job) {
  auto fastest = fastest_of(job, timing_step::again);
  if (fastest && fastest != job.best()) job.gains.push_back(fastest->id());
}

/// A rejection counts whatever it came from; a figure only in place of those of earlier steps.
bool take_time(const job_state& job, candidate_state& candidate, const stage_result& x, timing_step& step) {
  step = step_of(job, x);
  if (candidate.rejection || !candidate.steps.insert(step).second) return false;
  if (step != *candidate.steps.rbegin()) return false;
  if (auto times = candidate.timing(); times && step == timing_step::again) candidate.before = times->speedup_eager;
  candidate.results.insert_or_assign(stage_kind::time, x);
  return true;
}

/// Some of what is wrong with a task shows only when a candidate is judged against it.
void note_rejection(job_state& job, candidate_state& candidate, const kernel_failure& why) {
  candidate.rejection = why;
  if (why.kind == failure_kind::task_error && !job.task_failure) job.task_failure = why;
}

/// A best that is refused when it is timed again was none: the fastest of the others takes its place, of those with a
/// second timing where there are any.
void note_rejected_time(job_state& job, candidate_state& candidate, const rejected& why) {
  note_rejection(job, candidate, why.failure);
  if (std::erase(job.gains, candidate.id()) == 0) return;
  auto fastest = fastest_of(job, timing_step::again);
  if (!fastest) fastest = fastest_of(job, timing_step::full);
  if (fastest) job.gains.push_back(fastest->id());
}

void apply_time(job_state& job, candidate_state& candidate, const stage_result& x) {
  timing_step step{};
  if (!take_time(job, candidate, x, step)) return;
  if (auto refused = candidate.found<rejected>(stage_kind::time)) return note_rejected_time(job, candidate, *refused);
  if (!candidate.timing()) return;
  if (step == timing_step::screen) return note_screen(job, candidate);
  step == timing_step::full ? note_time(job, candidate) : note_time_again(job);
}

void apply_trace(job_state& job, const stage_result& result) {
  auto found = std::get_if<verdict>(&result.outcome);
  if (!found || job.trace || job.task_failure) return;
  if (auto graph = std::get_if<traced>(&found->finding)) job.trace = *graph;
  if (auto refused = std::get_if<rejected>(&found->finding)) job.task_failure = refused->failure;
}

/// What broke it may work now.
void forget_failures(job_state& job) {
  if (job.worth_another_try()) {
    job.finished.reset();
    job.ended.reset();
  }
  job.broken.reset();
  job.failed_stages = 0;
  job.last_failure.clear();
  for (auto& candidate : job.candidates) candidate.broken = false;
}

std::chrono::milliseconds between(time_point from, time_point to) {
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(to - from), std::chrono::milliseconds{0});
}

/// A job that is taken up again is the first that is heard of a run that was resumed.
void note_resumption(run_state& run, const fact& at) {
  auto again = run.jobs.find(at.job);
  if (!std::holds_alternative<job_started>(at.content) || again == run.jobs.end() || !again->second.started) return;
  auto gap = between(run.last, at.at);
  run.idle += gap;
  if (auto ended = again->second.ended) again->second.idle += between(*ended, at.at);
  for (auto& [id, job] : run.jobs)
    if (job.started && !job.ended) job.idle += gap;
}

void apply_content(job_state& job, const fact& at, const job_started&) {
  if (!job.started) {
    job.started = at.at;
    return;
  }
  job.worked = job.spent(job.last);
  job.clock.reset();
  forget_failures(job);
}

void apply_content(job_state& job, const fact&, const reply_received& x) {
  if (auto plans = std::get_if<plan_reply>(&x.reply)) {
    if (!job.plans) job.plans = *plans;
  } else {
    job.replies.emplace(x.question, x);
  }
}

void apply_content(job_state& job, const fact&, const candidate_created& x) {
  if (!job.find(x.candidate)) job.candidates.push_back({.made = x});
}

/// Waits for devices and workers that are still to start come before it.
void start_clock(job_state& job, const fact& at) {
  if (!job.clock) job.clock = at.at;
}

void apply_content(job_state& job, const fact& at, const stage_finished& x) {
  start_clock(job, at);
  if (x.result.kind == stage_kind::trace) return apply_trace(job, x.result);
  auto candidate = job.find(x.result.candidate);
  if (!candidate) return;
  if (x.result.kind == stage_kind::time) return apply_time(job, *candidate, x.result);
  if (!candidate->results.emplace(x.result.kind, x.result).second) return;
  if (x.result.kind == stage_kind::profile) return;  // whatever it found is advice
  if (auto refused = candidate->found<rejected>(x.result.kind)) note_rejection(job, *candidate, refused->failure);
}

void apply_content(job_state& job, const fact& at, const stage_failed& x) {
  start_clock(job, at);
  auto reason = std::get_if<failure>(&x.result.outcome);
  if (!reason) return;
  if (x.result.kind == stage_kind::profile) {
    if (auto candidate = job.find(x.result.candidate)) candidate->results.emplace(x.result.kind, x.result);
    return;
  }
  ++job.failed_stages;
  job.last_failure = reason->detail;
  if (x.result.kind == stage_kind::trace)
    job.broken = *reason;
  else if (auto candidate = job.find(x.result.candidate))
    candidate->broken = true;
}

void apply_content(job_state& job, const fact& at, const job_finished& x) {
  if (job.finished) return;
  job.finished = x;
  job.ended = at.at;
}

void apply_content(job_state&, const fact&, const run_started&) {}
void apply_content(job_state&, const fact&, const run_finished&) {}

}  // namespace

void apply(job_state& job, const fact& fact) {
  std::visit([&](const auto& content) { apply_content(job, fact, content); }, fact.content);
  job.last = fact.at;
}

std::uint32_t run_state::jobs_finished() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(jobs, [](const auto& job) { return job.second.finished.has_value(); }));
}

std::chrono::milliseconds job_state::took(time_point now) const {
  return started ? between(*started, ended.value_or(now)) - idle : std::chrono::milliseconds{0};
}

std::chrono::milliseconds run_state::took() const {
  return started ? between(*started, last) - idle : std::chrono::milliseconds{0};
}

bool run_state::over() const {
  return finished && std::ranges::none_of(jobs, [](const auto& job) { return job.second.worth_another_try(); });
}

void apply(run_state& run, const fact& fact) {
  ++run.facts;
  note_resumption(run, fact);
  run.last = fact.at;
  if (auto start = std::get_if<run_started>(&fact.content); start && !run.started) {
    run.spec = start->spec;
    run.started = fact.at;
    for (const auto& spec : run.spec.jobs) run.jobs.try_emplace(spec.job, spec, run.spec.run);
  }
  if (std::holds_alternative<run_finished>(fact.content)) run.finished = true;
  if (std::holds_alternative<job_started>(fact.content)) run.finished = false;  // it was taken up again
  if (auto job = run.jobs.find(fact.job); job != run.jobs.end()) apply(job->second, fact);
}

}  // namespace actors::logic
