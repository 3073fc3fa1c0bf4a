#include "actors/logic/status.hpp"

#include <cstdio>

namespace actors::logic {

using namespace messages;

namespace {

std::string phase_of(const job_state& job) {
  if (job.finished) return "finished";
  if (!job.started) return "waiting";
  return job.trace || !job.spec.imported.value.empty() ? "searching" : "tracing";
}

template <class... Xs>
std::string text(const char* format, Xs... xs) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, xs...);
  return buffer;
}

std::string say(const rejected& x) { return "rejected: " + x.failure.message; }
std::string say(const traced&) { return "traced"; }
std::string say(const statically_checked& x) { return std::to_string(x.findings.size()) + " findings"; }
std::string say(const compiled& x) { return x.from_cache ? "compiled (cached)" : "compiled"; }
std::string say(const verified& x) {
  if (!x.error.of_allowed) return "verified";
  auto percent = *x.error.of_allowed * 100;
  if (percent < 0.1) return "verified, error under 0.1 % of what is allowed";
  return text("verified, error %.*f %% of what is allowed", percent < 10 ? 1 : 0, percent);
}
std::string say(const timed& x) {
  return text("%.3g ms, %.2fx over eager", x.timing.candidate_ms.median, x.timing.speedup_eager.value);
}
std::string say(const profiled& x) { return "profiled: " + x.bottleneck; }

std::string say(const verdict& x) {
  return std::visit([](const auto& finding) { return say(finding); }, x.finding);
}
std::string say(const failure& x) { return "infrastructure: " + x.detail; }
std::string say(const cancelled&) { return "cancelled"; }

}  // namespace

std::string summary_of(const stage_result& result) {
  return std::visit([](const auto& outcome) { return say(outcome); }, result.outcome);
}

job_status status_of(const job_state& job, const open_actions& open) {
  job_status x;
  x.job = job.spec.job;
  x.task_name = job.spec.task_name;
  x.target = job.spec.target;
  if (x.target.dsl.empty() && !job.candidates.empty()) x.target.dsl = job.candidates.front().made.manifest.dsl;
  x.variant = job.spec.variant;
  x.repeat = job.spec.repeat;
  x.phase = phase_of(job);
  x.tried = static_cast<std::uint32_t>(job.candidates.size());
  x.correct = job.correct();
  x.not_judged = job.not_judged();
  if (auto best = job.best()) {
    x.best = best->id();
    x.best_speedup = best->speedup();
    if (auto times = best->timing()) x.best_ms = times->candidate_ms.median;
  }
  if (job.finished) {
    x.stopped_by = job.finished->stopped_by;
    x.remark = job.finished->remark;
  }
  x.under_way.assign(open.begin(), open.end());
  return x;
}

run_status status_of(const run_state& run, run_phase phase) {
  run_status x;
  x.run = run.spec.run;
  x.name = run.spec.name;
  x.phase = phase;
  for (const auto& spec : run.spec.jobs) x.jobs.push_back(status_of(run.jobs.at(spec.job)));
  x.facts = run.facts;
  x.elapsed = run.took();
  return x;
}

}  // namespace actors::logic
