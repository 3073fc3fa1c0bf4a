#include <filesystem>

#include "actors/cli/commands.hpp"
#include "actors/cli/one_task.hpp"
#include "configs/run_plan.hpp"

namespace actors::cli {

using namespace messages;

namespace {

std::string as_part(std::string name) {
  std::ranges::replace(name, ':', '_');
  std::ranges::replace(name, '/', '_');
  return name;
}

job_spec make_job(const one_task& x, const optimize_options& options, const std::string& device,
                  const std::string& dsl) {
  job_spec job{.task_name = x.task.name, .task = x.task_blob, .target = {{device}, dsl, ""}};
  job.job = {x.task.name + '.' + as_part(device) + '.' + dsl};
  job.seed = configs::seed_of(options.seed, job.job);
  job.strategy.name = options.strategy;
  if (options.time) job.strategy.time_limit = *options.time;
  if (options.evaluations) job.strategy.evaluations = *options.evaluations;
  return job;
}

}  // namespace

exit_code optimize(const common_options& common, const optimize_options& options) {
  auto x = open_task(common, options.task, options.dtype);
  if (!x) return complain(x.error());
  run_spec spec{.name = x->task.name, .command = "optimize"};
  for (const auto& device : options.devices)
    for (const auto& dsl : options.dsls) spec.jobs.push_back(make_job(*x, options, device, dsl));
  spec.out = std::filesystem::absolute(options.out).lexically_normal().string();
  return drive_one_task(common, *x, std::move(spec));
}

}  // namespace actors::cli
