#include "actors/logic/estimate.hpp"

#include <algorithm>
#include <array>

#include "actors/logic/job_state.hpp"

namespace actors::logic {

using namespace messages;

namespace {

/// Of a small task on a CPU, in seconds.
constexpr std::array<std::pair<stage_kind, double>, 4> assumed{
    {{stage_kind::trace, 2}, {stage_kind::compile, 2}, {stage_kind::verify, 3}, {stage_kind::time, 4}}};

std::string name_of(stage_kind x) { return std::string{enum_names(x)[static_cast<std::size_t>(x)]}; }

std::uint64_t stages_of(const job_spec& job, stage_kind kind) {
  if (kind == stage_kind::trace) return job.imported.value.empty() ? 1 : 0;
  if (kind == stage_kind::time && !job.time) return 0;
  return job.imported.value.empty() ? job.strategy.evaluations : 1;
}

/// By the clock that each job has: so many at once.
double by_time_limits(const run_spec& spec) {
  double all = 0, longest = 0;
  for (const auto& job : spec.jobs) {
    all += seconds_of(job.strategy.time_limit);
    longest = std::max(longest, seconds_of(job.strategy.time_limit));
  }
  return std::max(longest, all / std::max<std::uint32_t>(1, spec.parallel_jobs));
}

}  // namespace

void add_stages(stage_averages& to, std::span<const fact> facts) {
  for (const auto& fact : facts) {
    auto done = std::get_if<stage_finished>(&fact.content);
    if (!done) continue;
    auto& average = to[done->result.kind];
    average.seconds += seconds_of(done->result.elapsed);
    ++average.count;
  }
}

estimate_document estimate_of(const run_spec& spec, const stage_averages& measured, std::uint32_t compilers) {
  estimate_document x{.name = spec.name, .jobs = static_cast<std::uint32_t>(spec.jobs.size())};
  std::map<device_name, double> devices;  // a device does one stage at a time
  double compiling = 0;
  for (const auto& [kind, usual] : assumed) {
    auto known = measured.find(kind);
    bool any = known != measured.end() && known->second.count > 0;
    auto each = any ? known->second.seconds / static_cast<double>(known->second.count) : usual;
    x.stage_seconds[name_of(kind)] = each;
    x.measured[name_of(kind)] = any ? known->second.count : 0;
    for (const auto& job : spec.jobs) {
      auto stages = stages_of(job, kind);
      x.stages += stages;
      (kind == stage_kind::compile ? compiling : devices[job.target.device]) += each * static_cast<double>(stages);
    }
  }
  for (const auto& job : spec.jobs) x.evaluations += stages_of(job, stage_kind::verify);
  double by_stages = compiling / std::max<std::uint32_t>(1, compilers);
  for (const auto& [device, busy] : devices) by_stages = std::max(by_stages, busy);
  x.seconds = std::min(by_stages, by_time_limits(spec));
  return x;
}

}  // namespace actors::logic
