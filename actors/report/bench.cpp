#include "actors/report/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "actors/report/clean_text.hpp"
#include "actors/report/geometric_mean.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/table.hpp"

namespace actors::report {

using namespace messages;
using logic::job_state;

namespace {

/// Of fast_p, as KernelBench has them.
const std::vector<std::pair<std::string, double>> fast_factors{{"1", 1}, {"1.5", 1.5}, {"2", 2}};

/// Timed before not timed.
bool faster(const job_state* a, const job_state* b) { return a->best()->speedup() > b->best()->speedup(); }

const job_state* fastest_of(const std::vector<const job_state*>& jobs) {
  const job_state* best = nullptr;
  for (auto job : jobs)
    if (job->best() && (!best || faster(job, best))) best = job;
  return best;
}

/// Repeat -> its fastest job, null where it found nothing.
std::map<std::uint32_t, const job_state*> fastest_by_repeat(const problem_jobs& x) {
  std::map<std::uint32_t, std::vector<const job_state*>> jobs;
  for (auto job : x.jobs) jobs[job->spec.repeat].push_back(job);
  std::map<std::uint32_t, const job_state*> best;
  for (const auto& [repeat, of] : jobs) best[repeat] = fastest_of(of);
  return best;
}

void add_speedups(bench_result& to, const problem_jobs& x) {
  geometric_mean eager, compile, best;
  for (const auto& [repeat, job] : fastest_by_repeat(x)) {
    auto times = job ? job->best()->timing() : nullptr;
    to.repeats.push_back(times ? times->speedup_eager.value : 0);
    if (!times) continue;
    eager.add(times->speedup_eager.value);
    auto over_compile = times->speedup_compile ? times->speedup_compile->value : 0;
    compile.add(over_compile);
    best.add(over_compile > 0 ? std::min(over_compile, times->speedup_eager.value) : times->speedup_eager.value);
  }
  if (eager.count() > 0) to.speedup = speedups{eager.value(), compile.value(), best.value()};
}

void add_kernel(bench_result& to, const job_state& job) {
  const auto& kernel = *job.best();
  to.status = problem_status::correct;
  to.dsl = kernel.made.manifest.dsl;
  to.candidate = kernel.id().value;
  if (auto found = kernel.found<verified>(stage_kind::verify)) to.degenerate = found->judging.degenerate_task;
  if (auto times = kernel.timing()) to.timing = *times;
}

/// What stopped a job that found nothing.
problem_status status_of(const job_state& job) {
  if (job.finished && job.finished->stopped_by == "task") return problem_status::task_error;
  if (job.finished && job.finished->stopped_by == "infrastructure") return problem_status::infrastructure;
  return job.plans && job.plans->plans.empty() ? problem_status::not_covered : problem_status::failed;
}

std::string failure_of(const job_state& job, problem_status status) {
  if (status != problem_status::failed) return word_of(status);
  for (const auto& candidate : job.candidates)
    if (candidate.rejection) return word_of(candidate.rejection->kind);
  return "no_candidate";
}

/// Of several jobs the one that got furthest speaks: a kernel that failed says more than a plan that was not made.
void add_failure(bench_result& to, const problem_jobs& x) {
  auto rank = [](const job_state* job) { return status_of(*job) == problem_status::failed ? 0 : 1; };
  auto job = *std::ranges::min_element(x.jobs, {}, rank);
  to.status = status_of(*job);
  to.failure = failure_of(*job, to.status);
  if (job->finished) to.message = job->finished->remark;
}

void count(bench_document& to, const bench_result& x) {
  if (x.status == problem_status::not_covered)
    to.not_covered.push_back({x.problem, x.message});
  else if (x.status != problem_status::correct)
    ++to.failures[x.failure];
  else
    ++to.correct.count;
  if (x.degenerate) to.degenerate.push_back(x.problem);
}

std::string listed_failures(const bench_document& x) {
  std::string text;
  for (const auto& [kind, count] : x.failures)
    text += (text.empty() ? "" : ", ") + clean_line(kind, 40) + ' ' + std::to_string(count);
  return text;
}

}  // namespace

bool problem_jobs::finished() const {
  return std::ranges::all_of(jobs, [](auto job) { return job->finished.has_value(); });
}

std::vector<problem_jobs> problems_of(const logic::run_state& run) {
  std::vector<problem_jobs> all;
  std::map<std::string, std::size_t> places;
  for (const auto& spec : run.spec.jobs) {
    if (spec.problem.empty()) continue;
    auto [place, added] = places.try_emplace(spec.problem, all.size());
    if (added) all.push_back({spec.problem, {}});
    all[place->second].jobs.push_back(&run.jobs.at(spec.job));
  }
  return all;
}

bench_result result_of(const problem_jobs& x) {
  const auto& first = x.jobs.front()->spec;
  bench_result to{.problem = x.problem, .name = first.task_name, .device = first.target.device.value};
  for (auto job : x.jobs) {
    to.tried += static_cast<std::uint32_t>(job->candidates.size());
    to.found_correct += job->correct();
    if (job->trace) to.shrunk = job->trace->shrunk;
    if (job->ended) to.seconds += std::chrono::duration<double>(job->spent(*job->ended)).count();
  }
  add_speedups(to, x);
  if (auto best = fastest_of(x.jobs))
    add_kernel(to, *best);
  else
    add_failure(to, x);
  return to;
}

bench_document bench_document_of(const logic::run_state& run) {
  bench_document to{.run = run.spec.run.value, .phase = run.finished ? "finished" : "interrupted"};
  geometric_mean eager, compile, best;
  std::map<std::string, std::uint32_t> fast;
  for (const auto& problem : problems_of(run)) {
    ++to.correct.of;
    if (!problem.finished()) continue;
    auto x = result_of(problem);
    count(to, x);
    if (x.degenerate || !x.speedup) continue;
    eager.add(x.speedup->eager);
    compile.add(x.speedup->compile);
    best.add(x.speedup->best);
    for (const auto& [name, factor] : fast_factors) fast[name] += x.speedup->eager > factor;
  }
  to.geomean = {eager.value(), compile.value(), best.value()};
  for (const auto& [name, factor] : fast_factors)
    to.fast_p[name] = to.correct.of > 0 ? static_cast<double>(fast[name]) / to.correct.of : 0;
  return to;
}

std::string text_of(const bench_document& x) {
  auto ratio = [](double value) { return value > 0 ? ratio_text(value) : std::string{"none"}; };
  std::vector<labelled> lines{{"correct", fmt::format("{} of {}", x.correct.count, x.correct.of)},
                              {"over eager", ratio(x.geomean.eager)},
                              {"over torch.compile", ratio(x.geomean.compile)},
                              {"over the faster", ratio(x.geomean.best)}};
  for (const auto& [factor, share] : x.fast_p) lines.push_back({"fast_" + factor, share_text(share)});
  if (!x.degenerate.empty()) lines.push_back({"degenerate", std::to_string(x.degenerate.size())});
  if (!x.not_covered.empty()) lines.push_back({"not covered", std::to_string(x.not_covered.size())});
  if (!x.failures.empty()) lines.push_back({"failed", listed_failures(x)});
  lines.push_back({"results", clean_line(x.results)});
  lines.push_back({"report", clean_line(x.report)});
  return "bench of run " + clean_line(x.run, 80) + ": " + clean_line(x.phase, 40) + '\n' + block_text(lines);
}

}  // namespace actors::report
