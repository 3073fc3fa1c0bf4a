#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "actors/report/clean_text.hpp"
#include "actors/report/geometric_mean.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/stage_name.hpp"
#include "actors/report/table.hpp"
#include "actors/report/text.hpp"

namespace actors::report {

using namespace messages;

namespace {

const column counts_column{"correct/tried", 13, true};

std::string run_heading(const std::string& run, const std::string& name, const std::string& phase) {
  auto named = name.empty() ? "" : " (" + clean_line(name, 60) + ")";
  return "run " + clean_line(run, 80) + named + ": " + clean_line(phase, 40);
}

// -- what tells jobs apart --------------------------------------------------------------------------------------------

/// In what the jobs of a run differ, beside their tasks.
struct differences {
  bool devices = false;
  bool dsls = false;
  bool variants = false;
  bool repeats = false;

  bool any() const { return devices || dsls || runs_again(); }
  bool runs_again() const { return variants || repeats; }
};

/// @param jobs documents or statuses
template <class Jobs>
differences differences_of(const Jobs& jobs) {
  std::set<std::string> devices, dsls, variants;
  std::set<std::uint32_t> repeats;
  for (const auto& job : jobs) {
    devices.insert(job.target.device.value);
    dsls.insert(job.target.dsl);
    variants.insert(job.variant);
    repeats.insert(job.repeat);
  }
  return {devices.size() > 1, dsls.size() > 1, variants.size() > 1, repeats.size() > 1};
}

/// "fast", "fast #2", "#2": as far as it differs.
template <class Job>
std::string variant_of(const Job& x, const differences& differ) {
  auto variant = differ.variants ? clean_line(x.variant, 60) : "";
  if (!differ.repeats) return variant;
  return variant + (variant.empty() ? "#" : " #") + std::to_string(x.repeat);
}

/// Why jobs without a kernel have none, a line each.
template <class Jobs>
std::string remarks_of(const Jobs& jobs, auto name_of) {
  auto differ = differences_of(jobs);
  std::string out;
  for (const auto& job : jobs) {
    if (job.best || job.remark.empty()) continue;
    auto who = differ.any() ? clean_line(job.job.value, 80) : name_of(job);
    out += wrapped(who + ": " + clean_line(job.remark), line_width, "  ") + '\n';
  }
  return out;
}

// -- of a run that has ended ------------------------------------------------------------------------------------------

using row = std::vector<std::string>;

/// What there is room for: what is the same for all goes first, then what the report has as well.
struct run_columns {
  differences differ;
  bool dsl() const { return differ.dsls || !differ.any(); }
  bool interval() const { return !differ.devices || !differ.runs_again(); }
};

row row_of(const optimize_document& x, const run_columns& shown) {
  row cells{clean_line(x.task, 60)};
  if (shown.differ.devices) cells.push_back(clean_line(x.target.device.value, 40));
  if (shown.differ.runs_again()) cells.push_back(variant_of(x, shown.differ));
  if (shown.dsl()) cells.push_back(clean_line(x.best ? x.best->dsl : x.target.dsl, 40));
  std::string best = x.best ? "not timed" : "none", speedup, interval;
  if (x.best && x.best->verify.timing) {
    const auto& times = *x.best->verify.timing;
    best = duration_text(times.candidate_ms.median);
    speedup = ratio_text(times.speedup_eager.value);
    interval = fmt::format("{:.2f}-{:.2f}", times.speedup_eager.low, times.speedup_eager.high);
  }
  cells.insert(cells.end(), {best, speedup});
  if (shown.interval()) cells.push_back(interval);
  cells.push_back(fmt::format("{}/{}", x.candidates.correct, x.candidates.tried));
  cells.push_back(clean_line(x.stopped_by.empty() ? "not finished" : x.stopped_by, 40));
  return cells;
}

std::string table_of(const std::vector<row>& rows, const run_columns& shown) {
  std::vector<column> columns{{"task", 18}};
  if (shown.differ.devices) columns.push_back({"device", 12});
  if (shown.differ.runs_again()) columns.push_back({shown.differ.variants ? "variant" : "repeat", 18});
  if (shown.dsl()) columns.push_back({"dsl", 8});
  columns.insert(columns.end(), {{"best", 9, true}, {"speedup", 8, true}});
  if (shown.interval()) columns.push_back({"95 %", 12, false, true});
  columns.insert(columns.end(), {counts_column, {"stopped by", 14}});
  return table_text(columns, rows);
}

bool was_noisy(const optimize_document& x) {
  return x.best && x.best->verify.timing && is_noisy(*x.best->verify.timing);
}

/// Figures to be taken with care are not among the others.
std::string tables_of(const std::vector<optimize_document>& jobs) {
  run_columns shown{differences_of(jobs)};
  std::vector<row> clear, noisy;
  for (const auto& job : jobs) (was_noisy(job) ? noisy : clear).push_back(row_of(job, shown));
  auto out = clear.empty() ? "" : table_of(clear, shown);
  if (noisy.empty()) return out;
  return out + "noisy timing (the machine was busy; time these again on a quiet one):\n" + table_of(noisy, shown);
}

/// Over correct problems that are not degenerate, as every mean is.
std::string mean_line(const std::vector<optimize_document>& jobs) {
  geometric_mean mean;
  for (const auto& job : jobs)
    if (job.best && job.best->verify.timing && !job.best->verify.degenerate_task)
      mean.add(job.best->verify.timing->speedup_eager.value);
  if (mean.count() == 0) return "no job has a timed kernel, so there is no mean\n";
  return fmt::format("geometric mean over eager: {} over {} of {}\n", ratio_text(mean.value()), mean.count(),
                     count_text(jobs.size(), "job", "jobs"));
}

// -- of a run as it stands --------------------------------------------------------------------------------------------

/// What runs; the kind of stage comes first, so that a cut leaves it.
std::string under_way(const job_status& x) {
  if (x.under_way.empty()) return "";
  auto more = x.under_way.size() > 1 ? fmt::format(" +{}", x.under_way.size() - 1) : "";
  return stage_name(x.under_way.front()) + more;
}

std::string now_or_stop(const job_status& x) {
  return x.stopped_by.empty() ? under_way(x) : clean_line(x.stopped_by, 40);
}

row row_of(const job_status& x, const differences& differ) {
  auto speedup = x.best_speedup > 0 ? ratio_text(x.best_speedup) : x.best ? "correct" : "";
  row cells{clean_line(x.task_name, 60)};
  if (differ.runs_again()) cells.push_back(variant_of(x, differ));
  for (auto cell : {clean_line(x.target.device.value, 40), clean_line(x.target.dsl, 40), clean_line(x.phase, 40),
                    fmt::format("{}/{}", x.correct, x.tried), speedup, now_or_stop(x)})
    cells.push_back(std::move(cell));
  return cells;
}

std::string elapsed_text(const run_status& x) { return seconds_text(std::chrono::duration<double>(x.elapsed).count()); }

std::string table_of(const std::vector<job_status>& jobs) {
  auto differ = differences_of(jobs);
  bool any_runs = std::ranges::any_of(jobs, [](const job_status& x) { return x.stopped_by.empty(); });
  std::vector<row> rows;
  for (const auto& job : jobs) rows.push_back(row_of(job, differ));
  std::vector<column> columns{{"task", 20}};
  if (differ.runs_again()) columns.push_back({differ.variants ? "variant" : "repeat", 18});
  for (const auto& x : {column{"device", 12}, column{"dsl", 8}, column{"phase", 9}, counts_column,
                        column{"speedup", 8, true}, column{any_runs ? "now, or stopped by" : "stopped by", 24}})
    columns.push_back(x);
  return table_text(columns, rows);
}

row row_of(const run_status& x) {
  double best = 0;
  std::size_t solved = 0;
  for (const auto& job : x.jobs) {
    best = std::max(best, job.best_speedup);
    solved += job.best.has_value();
  }
  return {clean_line(x.run.value, 80),
          clean_line(x.name, 60),
          word_of(x.phase),
          fmt::format("{}/{}", solved, x.jobs.size()),
          best > 0 ? ratio_text(best) : "",
          elapsed_text(x)};
}

}  // namespace

std::string text_of(const run_document& x) {
  auto out = run_heading(x.run, x.name, x.phase) + '\n';
  if (x.jobs.empty()) return out + "no jobs\n";
  out += tables_of(x.jobs) + mean_line(x.jobs);
  out += remarks_of(x.jobs, [](const optimize_document& job) { return clean_line(job.task, 60); });
  return x.report.empty() ? out : out + "report: " + clean_path(x.report) + '\n';
}

std::string line_of(const job_status& x) {
  auto line = clean_line(x.job.value, 80) + ": " + clean_line(x.phase, 40);
  line += fmt::format(", {}/{} correct", x.correct, x.tried);
  if (x.best_speedup > 0) line += ", " + ratio_text(x.best_speedup) + " over eager";
  auto now = now_or_stop(x);
  if (now.empty()) return line;
  return line + ", " + (x.stopped_by.empty() ? "now " : "stopped by ") + now;
}

std::string text_of(const run_status& x) {
  auto out = run_heading(x.run.value, x.name, word_of(x.phase)) + ", " + elapsed_text(x) + '\n';
  if (x.jobs.empty()) return out + "no jobs\n";
  return out + table_of(x.jobs)
         + remarks_of(x.jobs, [](const job_status& job) { return clean_line(job.task_name, 60); });
}

std::string text_of(const std::vector<run_status>& runs) {
  std::vector<row> rows;
  for (const auto& run : runs) rows.push_back(row_of(run));
  return table_text({{"run", 40, false, true},
                     {"name", 24},
                     {"phase", 11},
                     {"solved", 9, true},
                     {"best", 8, true},
                     {"time", 14, true}},
                    rows);
}

}  // namespace actors::report
