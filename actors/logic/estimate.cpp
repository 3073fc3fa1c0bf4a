#include "actors/logic/estimate.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "actors/logic/job_state.hpp"

namespace actors::logic {

using namespace messages;

namespace {

/// Of a small task on a CPU, in seconds.
constexpr std::array<std::pair<stage_kind, double>, 4> assumed{
    {{stage_kind::trace, 2}, {stage_kind::compile, 2}, {stage_kind::verify, 3}, {stage_kind::time, 4}}};
constexpr double assumed_start = 20;  ///< workers import torch

std::string name_of(stage_kind x) { return std::string{enum_names(x)[static_cast<std::size_t>(x)]}; }

double mean_or(const stage_average& x, double usual) {
  return x.count > 0 ? x.seconds / static_cast<double>(x.count) : usual;
}

std::uint64_t stages_of(const job_spec& job, stage_kind kind) {
  if (kind == stage_kind::trace) return job.imported.value.empty() ? 1 : 0;
  if (kind == stage_kind::time && !job.time) return 0;
  return job.imported.value.empty() ? job.strategy.evaluations : 1;
}

/// What a job's time limit does not count: a trace before it, a kernel with the judge when it is up.
double beside_the_limit(const job_spec& job, const std::map<std::string, double>& stage_seconds) {
  double all = 0;
  for (auto kind : {stage_kind::trace, stage_kind::verify, stage_kind::time})
    if (stages_of(job, kind) > 0) all += stage_seconds.at(name_of(kind));
  return all;
}

/// By the clock that each job has: so many at once.
double by_time_limits(const run_spec& spec, const std::map<std::string, double>& stage_seconds) {
  double all = 0, longest = 0;
  for (const auto& job : spec.jobs) {
    auto one = seconds_of(job.strategy.time_limit) + beside_the_limit(job, stage_seconds);
    all += one;
    longest = std::max(longest, one);
  }
  return std::max(longest, all / std::max<std::uint32_t>(1, spec.parallel_jobs));
}

}  // namespace

void add_stages(stage_averages& to, std::span<const fact> facts) {
  bool first_trace = true;
  for (const auto& fact : facts) {
    auto done = std::get_if<stage_finished>(&fact.content);
    if (!done) continue;
    const auto& result = done->result;
    auto& average = to.kinds[result.kind];
    average.seconds += seconds_of(result.elapsed);
    ++average.count;
    if (result.kind != stage_kind::trace || !std::exchange(first_trace, false)) continue;
    to.start.seconds += seconds_of(result.queued);
    ++to.start.count;
  }
}

estimate_document estimate_of(const run_spec& spec, const stage_averages& measured, const estimate_options& options) {
  estimate_document x{.name = spec.name, .jobs = static_cast<std::uint32_t>(spec.jobs.size())};
  std::map<device_name, double> devices;  // a device does one stage at a time
  double compiling = 0;
  for (const auto& [kind, usual] : assumed) {
    auto known = measured.kinds.find(kind);
    auto average = known == measured.kinds.end() ? stage_average{} : known->second;
    auto each = x.stage_seconds[name_of(kind)] = mean_or(average, usual);
    x.measured[name_of(kind)] = average.count;
    for (const auto& job : spec.jobs) {
      auto stages = stages_of(job, kind);
      x.stages += stages;
      (kind == stage_kind::compile ? compiling : devices[job.target.device]) += each * static_cast<double>(stages);
    }
  }
  for (const auto& job : spec.jobs) x.evaluations += stages_of(job, stage_kind::verify);
  double by_stages = compiling / std::max<std::uint32_t>(1, options.compilers);
  for (const auto& [device, busy] : devices) by_stages = std::max(by_stages, busy);
  if (options.starts_workers) x.start_seconds = mean_or(measured.start, assumed_start);
  x.seconds = x.start_seconds + std::min(by_stages, by_time_limits(spec, x.stage_seconds));
  return x;
}

}  // namespace actors::logic
