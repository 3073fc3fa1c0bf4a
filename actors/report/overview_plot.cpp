#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "actors/report/clean_text.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/plots.hpp"

namespace actors::report {

using namespace messages;
using logic::job_state;

namespace {

using namespace drawing;

/// Whole powers of two at both ends.
struct power_scale {
  int low = 0;
  int high = 1;

  void reach(double x) {
    if (!(x > 0) || !std::isfinite(x)) return;
    low = std::clamp(static_cast<int>(std::floor(std::log2(x))), -10, low);
    high = std::clamp(static_cast<int>(std::ceil(std::log2(x))), high, 20);
  }
  double operator()(double x) const {
    auto share = x > 0 ? std::clamp((std::log2(x) - low) / (high - low), 0.0, 1.0) : 0;
    return std::round((bottom + (top - bottom) * share) * 10) / 10;
  }
};

const timing* timing_of(const job_state& job) {
  auto best = job.best();
  return best && best->speedup() > 0 ? best->timing() : nullptr;
}

double speedup_of(const job_state& job) {
  auto times = timing_of(job);
  return times ? times->speedup_eager.value : 0;
}

/// Those without a timed kernel first, then by speedup.
std::vector<const job_state*> sorted_jobs(const logic::run_state& run, std::size_t most) {
  std::vector<const job_state*> all;
  for (const auto& spec : run.spec.jobs)
    if (auto job = run.jobs.find(spec.job); job != run.jobs.end() && all.size() < most) all.push_back(&job->second);
  std::ranges::stable_sort(all, {}, [](auto job) { return speedup_of(*job); });
  return all;
}

void add_grid(plot& to, const power_scale& y) {
  for (int power = y.low; power <= y.high; ++power) {
    auto value = std::exp2(power);
    to.grid.push_back({left, y(value), right, y(value), power == 0 ? "eager" : "line", fmt::format("{:.4g}x", value)});
  }
}

void add_ratio(plot& to, const std::string& label, const ratio& x, double at, const power_scale& y, const char* kind) {
  to.whiskers.push_back({at, y(x.high), at, y(x.low), "interval", ""});
  to.points.push_back(
      {at, y(x.value), at, 0, kind, fmt::format("{}: {} ({})", label, ratio_text(x.value), interval_text(x))});
}

void add_job(plot& to, const job_state& job, double at, const power_scale& y) {
  auto name = clean_line(job.spec.task_name, 60);
  auto times = timing_of(job);
  if (!times) {
    to.points.push_back({at, foot, at, 0, "bad", name + ": no timed kernel"});
    return;
  }
  add_ratio(to, name + " over eager", times->speedup_eager, at, y, "good");
  if (times->speedup_compile) add_ratio(to, name + " over torch.compile", *times->speedup_compile, at, y, "open");
}

}  // namespace

std::optional<plot> plot_overview(const logic::run_state& run, std::size_t most) {
  auto jobs = sorted_jobs(run, most);
  if (std::ranges::count_if(jobs, [](auto job) { return timing_of(*job) != nullptr; }) < 2) return std::nullopt;
  power_scale y;
  for (auto job : jobs)
    if (auto times = timing_of(*job)) {
      y.reach(times->speedup_eager.value);
      if (times->speedup_compile) y.reach(times->speedup_compile->value);
    }
  plot x{.caption =
             "Speedup of each job's best kernel, slowest first: over eager (green) and over torch.compile (grey); "
             "jobs without a timed kernel at the foot",
         .height = 240};
  add_grid(x, y);
  auto step = (right - left - 20) / static_cast<double>(std::max<std::size_t>(2, jobs.size()) - 1);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    add_job(x, *jobs[i], std::round((left + 10 + step * static_cast<double>(i)) * 10) / 10, y);
  return x;
}

}  // namespace actors::report
