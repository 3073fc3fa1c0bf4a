#include "actors/logic/documents.hpp"

#include <algorithm>

namespace actors::logic {

using namespace messages;

namespace {

/// The judging of the last stage that got as far as a judge.
const judging* judging_of(const candidate_state& candidate) {
  for (auto kind : {stage_kind::time, stage_kind::verify}) {
    if (auto passed = candidate.found<verified>(kind)) return &passed->judging;
    if (auto refused = candidate.found<rejected>(kind); refused && refused->judging) return &*refused->judging;
  }
  return nullptr;
}

const error_summary* error_of(const candidate_state& candidate) {
  if (auto passed = candidate.found<verified>(stage_kind::verify)) return &passed->error;
  for (auto kind : {stage_kind::time, stage_kind::verify})
    if (auto refused = candidate.found<rejected>(kind); refused && refused->error) return &*refused->error;
  return nullptr;
}

stage_seconds spent_on(const candidate_state& candidate) {
  stage_seconds x;
  auto spent_in = [&](stage_kind kind) {
    auto result = candidate.results.find(kind);
    if (result == candidate.results.end()) return 0.0;
    x.queue += seconds_of(result->second.queued);
    return seconds_of(result->second.elapsed);
  };
  x.compile = spent_in(stage_kind::compile);
  x.verify = spent_in(stage_kind::verify);
  x.time = spent_in(stage_kind::time);
  x.total = x.queue + x.compile + x.verify + x.time;
  return x;
}

void fill_judging(verify_document& x, const judging& judged) {
  x.tier = judged.tier;
  x.why_hosted = judged.why_hosted;
  x.sandbox = judged.sandbox;
  x.policy = judged.policy;
  x.dtype = judged.dtype;
  x.precision = judged.precision;
  x.weights = judged.weights;
  x.degenerate_task = judged.degenerate_task;
  x.library = judged.library;
  x.draws = judged.draws;
  x.seeds = judged.seeds;
  x.shapes = judged.shapes;
  x.environment = judged.environment;
}

/// What only the verify stage finds out still holds when timing refused the candidate.
void add_verified(verify_document& x, const judging& verified) {
  if (x.precision.empty()) x.precision = verified.precision;
  if (x.weights.empty()) x.weights = verified.weights;
  if (x.library.empty()) x.library = verified.library;
  x.degenerate_task = x.degenerate_task || verified.degenerate_task;
}

}  // namespace

verify_document verify_document_of(const job_state& job, const candidate_state& candidate) {
  verify_document x;
  x.task = job.spec.task_name;
  x.candidate = job.spec.imported_from.empty() ? candidate.id().value : job.spec.imported_from;
  x.dsl = candidate.made.manifest.dsl;
  x.device = job.spec.target.device.value;
  x.policy = job.spec.judge.policy;
  x.failure = candidate.rejection;
  x.verdict = candidate.rejection   ? overall_verdict::failed
              : candidate.correct() ? overall_verdict::passed
                                    : overall_verdict::infrastructure;
  if (candidate.broken || x.verdict == overall_verdict::infrastructure) x.problem = job.last_failure;
  if (auto judged = judging_of(candidate)) fill_judging(x, *judged);
  if (auto passed = candidate.found<verified>(stage_kind::verify)) add_verified(x, passed->judging);
  if (auto build = candidate.found<compiled>(stage_kind::compile)) x.environment.toolchain = build->toolchain;
  if (auto error = error_of(candidate)) x.error = *error;
  if (auto times = candidate.timing()) x.timing = *times;
  if (auto profile = candidate.found<profiled>(stage_kind::profile)) x.profile = *profile;
  x.seconds = spent_on(candidate);
  return x;
}

optimize_document optimize_document_of(const run_state& run, const job_state& job) {
  optimize_document x;
  x.run = run.spec.run.value;
  x.job = job.spec.job;
  x.task = job.spec.task_name;
  x.target = job.spec.target;
  x.variant = job.spec.variant;
  x.repeat = job.spec.repeat;
  x.candidates = {static_cast<std::uint32_t>(job.candidates.size()), job.correct(), job.not_judged()};
  x.spent.seconds = seconds_of(job.took(run.last));
  if (job.finished) {
    x.stopped_by = job.finished->stopped_by;
    x.remark = job.finished->remark;
  }
  if (job.trace) x.simplified_by = job.trace->rules;
  if (job.plans) x.started_from = job.plans->started_from;
  auto best = job.best();
  if (!best) return x;
  const auto& manifest = best->made.manifest;
  x.best = best_candidate{.dsl = manifest.dsl,
                          .candidate = best->id().value,
                          .origin = std::string{enum_names(manifest.origin)[static_cast<std::size_t>(manifest.origin)]},
                          .timed_again = best->steps.contains(timing_step::again),
                          .timed_before = best->before,
                          .verify = verify_document_of(job, *best)};
  return x;
}

}  // namespace actors::logic
