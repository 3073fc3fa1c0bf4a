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

const blob_hash& job_state::task() const { return trace && !trace->task.value.empty() ? trace->task : spec.task; }

namespace {

/// Later measurements of an equal kernel differ by noise: below this it is no gain.
constexpr double least_gain = 1.01;

void note_time(job_state& job, const candidate_state& candidate) {
  auto best = job.best();
  bool gain = !best || candidate.speedup() > best->speedup() * least_gain;
  if (gain) job.gains.push_back(candidate.id());
  job.since_gain = gain ? 0 : job.since_gain + 1;
}

/// Some of what is wrong with a task shows only when a candidate is judged against it.
void note_rejection(job_state& job, candidate_state& candidate, const kernel_failure& why) {
  candidate.rejection = why;
  if (why.kind == failure_kind::task_error && !job.task_failure) job.task_failure = why;
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
  if (!candidate || !candidate->results.emplace(x.result.kind, x.result).second) return;
  if (auto refused = candidate->found<rejected>(x.result.kind)) note_rejection(job, *candidate, refused->failure);
  if (x.result.kind == stage_kind::time && candidate->timing()) note_time(job, *candidate);
}

void apply_content(job_state& job, const fact& at, const stage_failed& x) {
  start_clock(job, at);
  auto reason = std::get_if<failure>(&x.result.outcome);
  if (!reason) return;
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

void apply(run_state& run, const fact& fact) {
  ++run.facts;
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
