#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "actors/logic/documents.hpp"
#include "actors/report/clean_text.hpp"
#include "actors/report/geometric_mean.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/page_parts.hpp"
#include "actors/report/plots.hpp"
#include "messages/records/task.hpp"

namespace actors::report {

using namespace messages;
using logic::candidate_state;
using logic::job_state;
using logic::run_state;

namespace {

constexpr std::size_t config_bytes = 100'000;

/// The order with its facts sorted by job, once for all jobs.
struct indexed_order {
  const blobs::blob_store& blobs;
  std::map<job_id, job_facts> facts;

  explicit indexed_order(const report_order& x) : blobs(x.blobs) {
    for (const auto& fact : x.facts) facts[fact.job].push_back(&fact);
  }
  job_facts facts_of(const job_id& job) const {
    auto found = facts.find(job);
    return found == facts.end() ? job_facts{} : found->second;
  }
};

// -- a job ------------------------------------------------------------------------------------------------------------

std::string agents_line(const job_spec& spec) {
  std::string out;
  for (const auto& [role, name] : spec.agents)
    out += (out.empty() ? "" : ", ") + clean_line(role, 40) + " by " + clean_line(name, 40);
  return out;
}

std::string strategy_line(const strategy_options& x) {
  auto limit = std::chrono::duration<double>(x.time_limit).count();
  return fmt::format("{}, at most {} candidates, {} at once, stops after {} without a gain, {} of time",
                     clean_line(x.name, 40), x.evaluations, x.width, x.patience, seconds_text(limit));
}

std::vector<labelled> job_lines(const job_state& job) {
  const auto& spec = job.spec;
  std::vector<labelled> out{{"job", clean_line(spec.job.value)},
                            {"variant", fmt::format("{}, repeat {}", clean_line(spec.variant, 60), spec.repeat)},
                            {"seed", std::to_string(spec.seed)},
                            {"strategy", strategy_line(spec.strategy)}};
  if (auto agents = agents_line(spec); !agents.empty()) out.push_back({"agents", agents});
  out.push_back({"judging", fmt::format("{} draws, policy {}, library calls {}", spec.judge.draws,
                                        clean_line(spec.judge.policy, 40),
                                        spec.judge.allow_library_calls ? "allowed" : "refused")});
  if (!spec.problem.empty()) out.push_back({"problem", clean_line(spec.problem, 60)});
  if (!spec.time) out.push_back({"time", "not asked for: verified only"});
  if (job.plans && !job.plans->remark.empty()) out.push_back({"planner", clean_line(job.plans->remark)});
  if (job.failed_stages > 0)
    out.push_back(
        {"machinery", fmt::format("{} failed for good; the last: {}", count_text(job.failed_stages, "stage", "stages"),
                                  clean_line(job.last_failure))});
  return out;
}

std::string problem_of(const job_state& job) {
  std::string out;
  if (job.task_failure) out = "The task itself can't be used: " + clean_line(logic::sentence_of(*job.task_failure));
  if (job.broken) out = "The machinery failed: " + clean_line(job.broken->detail);
  auto remark = job.finished ? clean_line(job.finished->remark) : "";
  if (remark.empty() || out.find(remark) != std::string::npos) return out;
  return out.empty() ? remark : out + " " + remark;
}

void fill_result(job_section& x, const job_state& job) {
  x.tried = fmt::format("{} / {}", job.correct(), job.candidates.size());
  x.counts =
      fmt::format("{} tried, {} correct", count_text(job.candidates.size(), "candidate", "candidates"), job.correct());
  if (auto open = job.not_judged(); open > 0) x.counts += fmt::format(", {} not judged to the end", open);
  x.stop = job.finished ? clean_line(job.finished->stopped_by, 40) : job.started ? "not finished" : "not started";
  x.stopped = job.finished ? reason_of(job.finished->stopped_by) : x.stop;
  x.problem = problem_of(job);
  x.kind = "bad";
  auto best = job.best();
  x.best = best ? "not timed" : "no correct kernel";
  if (!best) return;
  x.kind = "plain";
  auto times = best->timing();
  if (!times) return;
  x.standing = standing_of(times->speedup_eager, grounds_of(job, *best));
  x.kind = x.standing == "real" ? "good" : "plain";
  x.best = duration_text(times->candidate_ms.median);
  x.speedup = ratio_text(times->speedup_eager.value);
  x.interval = interval_text(times->speedup_eager);
  if (times->speedup_compile) x.over_compile = ratio_text(times->speedup_compile->value);
  if (times->roofline_share) x.roofline = share_text(*times->roofline_share);
  x.roofline_note = roofline_text(*times);
  if (auto profile = best->found<profiled>(stage_kind::profile)) {
    x.bottleneck = clean_line(profile->bottleneck, 40);
    x.bottleneck_note = bottleneck_of(*profile).front().text;
  }
}

void fill_judging(job_section& x, const job_state& job) {
  auto shown = job.best();
  for (auto one = job.candidates.rbegin(); !shown && one != job.candidates.rend(); ++one)
    if (!one->results.empty()) shown = &*one;
  if (!shown) return;
  auto judged = logic::verify_document_of(job, *shown);
  x.judging = draws_of(judged);
  if (judged.error) x.judging.push_back({"error", sentence_of(*judged.error)});
  auto conditions = conditions_of(judged);
  x.judging.insert(x.judging.end(), conditions.begin(), conditions.end());
  x.environment = environment_of(judged.environment);
}

void fill_task(job_section& x, const job_state& job, const indexed_order& order, const report_options& options,
               page_space& space) {
  auto found = order.blobs.get_record<task>(job.task());
  auto path = clean_line(job.spec.task_name, 120) + ".py";
  if (!found) {
    x.task_code = {path, "", "Not to be read: " + clean_line(found.error().detail)};
    return;
  }
  x.task_code = code_of(path, found->code, options, space);
  if (!found->own_dtype) x.lines.push_back({"dtype", word_of(found->dtype)});
  for (const auto& [name, value] : found->overrides)
    x.lines.push_back({"override", clean_line(name, 80) + fmt::format(" = {}", value)});
}

/// Empty where nothing was simplified.
std::string simplified_line(const traced& x, const indexed_order& order) {
  if (x.rules.empty()) return "";
  auto rules = clean_line(fmt::format("{}", fmt::join(x.rules, "; ")), 2000);
  auto before = order.blobs.get_record<op_graph>(x.graph);
  auto figures = before ? fmt::format(" from {} and {:.4g} FLOP", bytes_text(before->floor_bytes),
                                      static_cast<double>(before->flops))
                        : "";
  return fmt::format("Simplified{} by: {}. ", figures, rules);
}

void fill_graph(job_section& x, const job_state& job, const indexed_order& order, const report_options& options) {
  if (!job.trace) {
    x.graph_note = "The task was not traced.";
    return;
  }
  auto graph = order.blobs.get_record<op_graph>(job.trace->planned());
  if (!graph) {
    x.graph_note = "The op graph is not to be read: " + clean_line(graph.error().detail);
    return;
  }
  auto listed = operators_of(*graph, options.operators);
  x.operators = std::move(listed.lines);
  x.graph_note = listed.left_out + simplified_line(*job.trace, order)
                 + fmt::format("At least {} are to be moved, {:.4g} FLOP to be done.", bytes_text(graph->floor_bytes),
                               static_cast<double>(graph->flops));
}

void fill_plots(job_section& x, const job_state& job, const job_facts& facts, const report_options& options,
                page_space& space) {
  x.speedups = plot_speedups(job, page_space::take(space.points, options.points));
  x.times = plot_times(job);
  x.timeline = plot_timeline(job, facts, page_space::take(space.points, options.points));
}

/// With its number where the variant is repeated: each has a row and a section of its own.
std::string variant_text(const job_spec& spec, bool repeated) {
  auto variant = clean_line(spec.variant, 60);
  return repeated ? fmt::format("{} #{}", variant, spec.repeat) : variant;
}

job_section section_of(const job_state& job, std::size_t number, const indexed_order& order,
                       const report_options& options, page_space& space) {
  job_section x;
  x.anchor = fmt::format("job-{}", number);
  x.task = clean_line(job.spec.task_name, 120);
  x.device = clean_line(job.spec.target.device.value, 60);
  x.dsl = clean_line(job.spec.target.dsl, 60);
  x.lines = job_lines(job);
  fill_result(x, job);
  fill_judging(x, job);
  fill_task(x, job, order, options, space);
  fill_graph(x, job, order, options);
  fill_plots(x, job, order.facts_of(job.spec.job), options, space);
  auto table = candidates_of(job, order.blobs, options, space);
  x.candidates = std::move(table.entries);
  for (auto& entry : x.candidates) entry.anchor = fmt::format("{}-{}", x.anchor, entry.number);
  x.shared_codes = std::move(table.shared);
  x.left_out = table.left_out;
  return x;
}

// -- the run ----------------------------------------------------------------------------------------------------------

std::size_t jobs_with_kernel(const run_state& run) {
  return static_cast<std::size_t>(std::ranges::count_if(run.jobs, [](const auto& x) { return x.second.best(); }));
}

std::string ended_text(const run_state& run) {
  auto found =
      fmt::format("{} of {} found a correct kernel", jobs_with_kernel(run), count_text(run.jobs.size(), "job", "jobs"));
  if (run.finished) return "Finished: " + found + ".";
  if (!run.started) return "Not started.";
  return fmt::format("Not finished: {} of {} jobs are; {} so far. To go on: kernelmesh resume {}", run.jobs_finished(),
                     run.jobs.size(), found, clean_line(run.spec.run.value, 80));
}

std::vector<labelled> run_lines(const run_state& run) {
  std::vector<labelled> out{{"run", clean_line(run.spec.run.value, 80)}};
  if (!run.started) return out;
  out.push_back({"started", date_text(*run.started)});
  out.push_back({run.finished ? "finished" : "last entry", date_text(run.last)});
  out.push_back({"took", seconds_text(std::chrono::duration<double>(run.took()).count())});
  auto at_once = std::min<std::size_t>(run.jobs.size(), run.spec.parallel_jobs);
  if (run.jobs.size() > 1) out.push_back({"jobs", fmt::format("{}, {} at once", run.jobs.size(), at_once)});
  out.push_back({"journal", count_text(run.facts, "entry", "entries")});
  return out;
}

std::string mean_text(const run_state& run) {
  geometric_mean mean;
  for (const auto& [id, job] : run.jobs) {
    auto best = job.best();
    auto judged = best ? best->found<verified>(stage_kind::verify) : nullptr;
    if (judged && !judged->judging.degenerate_task) mean.add(best->speedup());
  }
  if (mean.count() == 0) return "";
  return fmt::format(
      "Geometric mean over eager: {}, over {} of {}. Jobs without a correct kernel and degenerate tasks "
      "are not in it.",
      ratio_text(mean.value()), mean.count(), count_text(run.jobs.size(), "job", "jobs"));
}

}  // namespace

report_model report_of(const report_order& order, const report_options& options) {
  const auto& run = order.run;
  report_model x;
  x.title = clean_line(run.spec.name.empty() ? run.spec.run.value : run.spec.name, 120);
  x.ended = ended_text(run);
  x.complete = run.finished;
  x.lines = run_lines(run);
  x.config = clean_block(run.spec.config, config_bytes);
  if (run.spec.config.size() > config_bytes) x.config += "\n... cut here";
  x.mean = mean_text(run);
  x.overview = plot_overview(run, options.points);
  x.compared = compare_variants(run);
  indexed_order indexed{order};
  bool repeated = std::ranges::any_of(run.spec.jobs, [](const auto& job) { return job.repeat > 1; });
  page_space space{options.all_code_bytes, options.all_unfolded_candidates, options.all_rows, options.all_points};
  for (const auto& spec : run.spec.jobs) {
    auto job = run.jobs.find(spec.job);
    if (job == run.jobs.end()) continue;
    auto share = space.share(run.jobs.size() - std::min(run.jobs.size(), x.jobs.size()));
    x.jobs.push_back(section_of(job->second, x.jobs.size() + 1, indexed, options, share));
    x.jobs.back().variant = variant_text(spec, repeated);
    space.give_back(share);
  }
  if (std::ranges::any_of(x.jobs, [](const auto& job) { return !job.left_out.empty(); }))
    x.left_out = "Something is left out to keep this page small; each job says what. The journal has all of it.";
  return x;
}

}  // namespace actors::report
