#include "actors/report/text.hpp"

#include <fmt/format.h>

#include "actors/report/clean_text.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/table.hpp"

namespace actors::report {

using namespace messages;

namespace {

std::string best_line(const best_candidate& x) {
  if (!x.verify.timing) return "correct, not timed";
  const auto& times = *x.verify.timing;
  return fmt::format(
      "{}, {} over eager ({}), {}", duration_text(times.candidate_ms.median), ratio_text(times.speedup_eager.value),
      interval_text(times.speedup_eager),
      standing_of(times.speedup_eager, {times.aa_noise, x.verify.degenerate_task, !x.timed_again, x.timed_before}));
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

/// Who was neither found correct nor refused is not counted as wrong.
std::string counts_line(const candidate_counts& x) {
  auto text = fmt::format("{} tried, {} correct", x.tried, x.correct);
  return x.not_judged > 0 ? text + fmt::format(", {} not judged", x.not_judged) : text;
}

/// Limits are held against the search alone, and a first kernel is judged to its end: it can take longer.
std::string time_line(const estimate_document& x) {
  auto text = "about " + seconds_text(x.seconds);
  if (x.start_seconds > 0) text += ", of which " + seconds_text(x.start_seconds) + " for workers to start";
  return text + "; limits count from when a task is traced, and a first kernel is judged to its end";
}

}  // namespace

std::string text_of(const optimize_document& x, const std::string& report) {
  auto task = clean_line(x.task, 60);
  std::vector<labelled> lines;
  if (x.best) {
    lines.push_back({"best", best_line(*x.best)});
    auto origin = x.best->origin.empty() ? "" : " (" + clean_line(x.best->origin, 40) + ")";
    lines.push_back({"written in", clean_line(x.best->dsl, 40) + origin});
    if (const auto& profile = x.best->verify.profile) {
      auto told = bottleneck_of(*profile);
      lines.push_back(told.front());
    }
    if (!x.best->verify.dtype.empty()) lines.push_back({"judged in", clean_line(x.best->verify.dtype, 60)});
    if (!x.best->file.empty()) lines.push_back({"file", clean_path(x.best->file), true});
  }
  for (const auto& rule : x.simplified_by)
    lines.push_back({&rule == x.simplified_by.data() ? "simplified by" : "", clean_line(rule, 60)});
  if (x.started_from) lines.push_back({"started from", start_line(*x.started_from)});
  lines.push_back({"candidates", counts_line(x.candidates)});
  lines.push_back({"stopped by", stop_line(x)});
  auto spent = seconds_text(x.spent.seconds);
  if (x.spent.tokens > 0) spent += fmt::format(", {} tokens, ${:.2f}", x.spent.tokens, x.spent.dollars);
  lines.push_back({"spent", spent});
  if (!report.empty()) lines.push_back({"report", clean_path(report), true});
  auto found = x.best                     ? "a correct kernel was found"
               : x.candidates.correct > 0 ? "correct kernels were found, but none was timed to the end"
                                          : "no correct kernel was found";
  return task + ": " + found + '\n' + block_text(lines);
}

std::string text_of(const estimate_document& x) {
  std::vector<labelled> lines{{"jobs", std::to_string(x.jobs)},
                              {"candidates", fmt::format("{} at most", x.evaluations)},
                              {"stages", fmt::format("about {}", x.stages)},
                              {"time", time_line(x)},
                              {"cost", fmt::format("${:.2f}", x.dollars)}};
  for (const auto& [kind, seconds] : x.stage_seconds) {
    auto count = x.measured.contains(kind) ? x.measured.at(kind) : 0;
    auto source = count > 0 ? "mean of " + count_text(count, "earlier stage", "earlier stages") : "assumed";
    lines.push_back({"a " + kind, seconds_text(seconds) + " (" + source + ')'});
  }
  return "estimate for " + clean_line(x.name, 60) + ", nothing was started\n" + block_text(lines);
}

}  // namespace actors::report
