#include "actors/logic/status.hpp"

namespace actors::logic {

using namespace messages;

namespace {

std::string phase_of(const job_state& job) {
  if (job.finished) return "finished";
  if (!job.started) return "waiting";
  return job.trace || !job.spec.imported.value.empty() ? "searching" : "tracing";
}

}  // namespace

job_status status_of(const job_state& job, const open_actions& open) {
  job_status x;
  x.job = job.spec.job;
  x.task_name = job.spec.task_name;
  x.target = job.spec.target;
  x.variant = job.spec.variant;
  x.phase = phase_of(job);
  x.tried = static_cast<std::uint32_t>(job.candidates.size());
  x.correct = job.correct();
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
  if (run.started) x.elapsed = run.last - *run.started;
  return x;
}

}  // namespace actors::logic
