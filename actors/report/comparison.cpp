#include <fmt/format.h>

#include <algorithm>

#include "actors/report/clean_text.hpp"
#include "actors/report/geometric_mean.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/page_parts.hpp"

namespace actors::report {

using namespace messages;

namespace {

/// What one variant made of one task on one target, over its repeats.
struct outcome {
  geometric_mean speedup;
  std::size_t jobs = 0;
  std::size_t correct = 0;
  bool degenerate = false;
};

/// Variant -> outcome, of one task on one target.
using contest = std::map<std::string, outcome>;

bool is_degenerate(const logic::candidate_state& x) {
  auto found = x.found<verified>(stage_kind::verify);
  return found && found->judging.degenerate_task;
}

void add_job(outcome& to, const logic::job_state& job) {
  ++to.jobs;
  auto best = job.best();
  if (!best) return;
  ++to.correct;
  to.degenerate = to.degenerate || is_degenerate(*best);
  to.speedup.add(best->speedup());
}

std::string cell_of(const contest& of, const std::string& variant) {
  auto found = of.find(variant);
  if (found == of.end()) return "no job";
  const auto& x = found->second;
  if (x.correct == 0) return "none correct";
  auto text = x.speedup.count() ? ratio_text(x.speedup.value()) : "correct, not timed";
  if (x.jobs > 1) text += fmt::format(" ({} of {})", x.correct, x.jobs);
  return x.degenerate ? text + ", degenerate" : text;
}

bool counts(const contest& of, const std::string& variant) {
  auto found = of.find(variant);
  return found != of.end() && found->second.speedup.count() > 0 && !found->second.degenerate;
}

/// @param all only contests in which every variant has a timed kernel
std::string mean_cell(const std::map<std::string, contest>& contests, const std::vector<std::string>& variants,
                      const std::string& variant, bool all) {
  geometric_mean mean;
  for (const auto& [subject, of] : contests) {
    bool fair = !all || std::ranges::all_of(variants, [&, &of = of](const auto& x) { return counts(of, x); });
    if (fair && counts(of, variant)) mean.add(of.at(variant).speedup.value());
  }
  return mean.count() ? fmt::format("{} over {}", ratio_text(mean.value()), mean.count()) : "none";
}

comparison_row means_row(const std::map<std::string, contest>& contests, const std::vector<std::string>& variants,
                         const char* subject, bool all) {
  comparison_row row{subject, {}};
  for (const auto& variant : variants) row.cells.push_back(mean_cell(contests, variants, variant, all));
  return row;
}

}  // namespace

std::optional<comparison> compare_variants(const logic::run_state& run) {
  std::map<std::string, contest> contests;
  std::vector<std::string> variants;
  for (const auto& spec : run.spec.jobs) {
    if (std::ranges::find(variants, spec.variant) == variants.end()) variants.push_back(spec.variant);
    auto subject = fmt::format("{} on {}, {}", spec.task_name, spec.target.device.value, spec.target.dsl);
    if (auto job = run.jobs.find(spec.job); job != run.jobs.end())
      add_job(contests[subject][spec.variant], job->second);
  }
  if (variants.size() < 2) return std::nullopt;
  comparison x;
  for (const auto& variant : variants) x.variants.push_back(clean_line(variant, 60));
  x.means.push_back(means_row(contests, variants, "geometric mean, all that it solved", false));
  x.means.push_back(means_row(contests, variants, "geometric mean, those that all solved", true));
  for (const auto& [subject, of] : contests) {
    comparison_row row{clean_line(subject, 160), {}};
    for (const auto& variant : variants) row.cells.push_back(cell_of(of, variant));
    x.rows.push_back(std::move(row));
  }
  x.note =
      "Speedup of the best kernel over eager; repeats of one task are averaged geometrically first. Tasks without a "
      "correct kernel and degenerate tasks are in no mean.";
  return x;
}

}  // namespace actors::report
