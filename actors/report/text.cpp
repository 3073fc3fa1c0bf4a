#include "actors/report/text.hpp"

#include <fmt/format.h>

#include "actors/report/clean_text.hpp"
#include "actors/report/geometric_mean.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/table.hpp"

namespace actors::report {

using namespace messages;

namespace {

std::string best_line(const best_candidate& x) {
  if (!x.verify.timing) return "correct, not timed";
  const auto& times = *x.verify.timing;
  return fmt::format("{}, {} over eager ({}), {}", duration_text(times.candidate_ms.median),
                     ratio_text(times.speedup_eager.value), interval_text(times.speedup_eager),
                     standing_of(times.speedup_eager, {times.aa_noise, x.verify.degenerate_task, !x.timed_again}));
}

std::string stop_line(const optimize_document& x) {
  auto reason = x.stopped_by.empty() ? std::string{"not finished"} : reason_of(x.stopped_by);
  return x.remark.empty() ? reason : reason + ": " + clean_line(x.remark);
}

std::string start_line(const earlier_plan& x) {
  auto shapes = x.same_shapes ? "" : ", of the same operators on other shapes";
  return fmt::format("the best of run {} ({}, {} over eager{})", clean_line(x.run.value, 60),
                     clean_line(x.task_name, 60), ratio_text(x.speedup), shapes);
}

std::vector<std::string> row_of(const optimize_document& x) {
  auto tried = fmt::format("{}/{}", x.candidates.correct, x.candidates.tried);
  auto stopped = clean_line(x.stopped_by.empty() ? "not finished" : x.stopped_by, 40);
  if (!x.best) return {clean_line(x.task, 60), "", "none", "", "", tried, stopped};
  std::vector<std::string> row{
      clean_line(x.task, 60), clean_line(x.best->dsl, 40), "not timed", "", "", tried, stopped};
  if (x.best->verify.timing) {
    const auto& times = *x.best->verify.timing;
    row[2] = duration_text(times.candidate_ms.median);
    row[3] = ratio_text(times.speedup_eager.value);
    row[4] = fmt::format("{:.2f}-{:.2f}", times.speedup_eager.low, times.speedup_eager.high);
  }
  return row;
}

bool was_noisy(const optimize_document& x) {
  return x.best && x.best->verify.timing && is_noisy(*x.best->verify.timing);
}

std::string table_of(const std::vector<std::vector<std::string>>& rows) {
  return table_text({{"task", 18},
                     {"dsl", 8},
                     {"best", 9, true},
                     {"speedup", 8, true},
                     {"95 %", 12},
                     {"correct", 7, true},
                     {"stopped by", 14}},
                    rows);
}

/// Figures to be taken with care are not among the others.
std::string tables_of(const std::vector<optimize_document>& jobs) {
  std::vector<std::vector<std::string>> clear, noisy;
  for (const auto& job : jobs) (was_noisy(job) ? noisy : clear).push_back(row_of(job));
  auto out = clear.empty() ? "" : table_of(clear);
  if (noisy.empty()) return out;
  return out + "noisy timing (the machine was busy; time these again on a quiet one):\n" + table_of(noisy);
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

std::string under_way(const job_status& x) {
  if (!x.stopped_by.empty()) return clean_line(x.stopped_by, 40);
  if (x.under_way.empty()) return "";
  auto more = x.under_way.size() > 1 ? fmt::format(" +{}", x.under_way.size() - 1) : "";
  return clean_line(x.under_way.front(), 40) + more;
}

std::vector<std::string> row_of(const job_status& x) {
  auto speedup = x.best_speedup > 0 ? ratio_text(x.best_speedup) : x.best ? "correct" : "";
  return {clean_line(x.task_name, 60),
          clean_line(x.target.device.value, 40),
          clean_line(x.target.dsl, 40),
          clean_line(x.phase, 40),
          fmt::format("{}/{}", x.correct, x.tried),
          speedup,
          under_way(x)};
}

std::string run_heading(const std::string& run, const std::string& name, const std::string& phase) {
  auto named = name.empty() ? "" : " (" + clean_line(name, 60) + ")";
  return "run " + clean_line(run, 80) + named + ": " + clean_line(phase, 40);
}

}  // namespace

std::string text_of(const optimize_document& x, const std::string& report) {
  auto task = clean_line(x.task, 60);
  std::vector<labelled> lines;
  if (x.best) {
    lines.push_back({"best", best_line(*x.best)});
    auto origin = x.best->origin.empty() ? "" : " (" + clean_line(x.best->origin, 40) + ")";
    lines.push_back({"written in", clean_line(x.best->dsl, 40) + origin});
    if (!x.best->file.empty()) lines.push_back({"file", clean_line(x.best->file)});
  }
  for (const auto& rule : x.simplified_by)
    lines.push_back({&rule == x.simplified_by.data() ? "simplified by" : "", clean_line(rule, 60)});
  if (x.started_from) lines.push_back({"started from", start_line(*x.started_from)});
  lines.push_back({"candidates", fmt::format("{} tried, {} correct", x.candidates.tried, x.candidates.correct)});
  lines.push_back({"stopped by", stop_line(x)});
  auto spent = seconds_text(x.spent.seconds);
  if (x.spent.tokens > 0) spent += fmt::format(", {} tokens, ${:.2f}", x.spent.tokens, x.spent.dollars);
  lines.push_back({"spent", spent});
  if (!report.empty()) lines.push_back({"report", clean_line(report)});
  auto heading = x.best ? task + ": a correct kernel was found" : task + ": no correct kernel was found";
  return heading + '\n' + block_text(lines);
}

std::string text_of(const run_document& x) {
  auto out = run_heading(x.run, x.name, x.phase) + '\n';
  if (x.jobs.empty()) return out + "no jobs\n";
  out += tables_of(x.jobs) + mean_line(x.jobs);
  for (const auto& job : x.jobs)
    if (!job.best && !job.remark.empty())
      out += wrapped(clean_line(job.task, 60) + ": " + clean_line(job.remark), line_width, "  ") + '\n';
  return x.report.empty() ? out : out + "report: " + clean_line(x.report) + '\n';
}

std::string text_of(const estimate_document& x) {
  std::vector<labelled> lines{{"jobs", std::to_string(x.jobs)},
                              {"candidates", fmt::format("{} at most", x.evaluations)},
                              {"stages", fmt::format("{} at most", x.stages)},
                              {"time", seconds_text(x.seconds) + " at most"},
                              {"cost", fmt::format("${:.2f}", x.dollars)}};
  for (const auto& [kind, seconds] : x.stage_seconds) {
    auto count = x.measured.contains(kind) ? x.measured.at(kind) : 0;
    auto source = count > 0 ? "mean of " + count_text(count, "earlier stage", "earlier stages") : "assumed";
    lines.push_back({"a " + kind, seconds_text(seconds) + " (" + source + ')'});
  }
  return "estimate for " + clean_line(x.name, 60) + ", nothing was started\n" + block_text(lines);
}

std::string line_of(const job_status& x) {
  auto line = clean_line(x.job.value, 80) + ": " + clean_line(x.phase, 40);
  line += fmt::format(", {}/{} correct", x.correct, x.tried);
  if (x.best_speedup > 0) line += ", " + ratio_text(x.best_speedup) + " over eager";
  auto now = under_way(x);
  return now.empty() ? line : line + ", " + (x.stopped_by.empty() ? "now " : "") + now;
}

std::string text_of(const run_status& x) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& job : x.jobs) rows.push_back(row_of(job));
  auto elapsed = std::chrono::duration<double>(x.elapsed).count();
  auto out = run_heading(x.run.value, x.name, word_of(x.phase)) + ", " + seconds_text(elapsed) + '\n';
  if (rows.empty()) return out + "no jobs\n";
  return out
         + table_text({{"task", 20},
                       {"device", 12},
                       {"dsl", 8},
                       {"phase", 9},
                       {"correct", 7, true},
                       {"speedup", 8, true},
                       {"now", 14}},
                      rows);
}

}  // namespace actors::report
