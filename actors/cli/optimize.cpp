#include <algorithm>
#include <filesystem>
#include <set>

#include "actors/cli/commands.hpp"
#include "actors/cli/one_task.hpp"
#include "actors/cli/results_folder.hpp"
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
  job.task_file = x.text.called;
  job.job = {x.task.name + '.' + as_part(device) + '.' + dsl};
  job.seed = configs::seed_of(options.seed, job.job);
  job.strategy.name = options.strategy;
  job.judge.allow_library_calls = options.allow_library_calls;
  if (options.time) job.strategy.time_limit = *options.time;
  job.strategy.earlier_plans = !options.no_earlier_plans;
  if (options.evaluations) job.strategy.evaluations = *options.evaluations;
  return job;
}

}  // namespace

outcome optimize(const common_options& common, const optimize_options& options) {
  auto x = open_task(common, {options.task, options.dtype, options.data});
  if (!x) return tl::unexpected{x.error()};
  if (auto known = check_dsls(x->where, options.dsls); !known) return tl::unexpected{known.error()};
  take_up_devices(x->where, x->system_file, x->config, options.devices);
  if (auto known = check_devices(x->config, options.devices); !known) return tl::unexpected{known.error()};
  if (auto sound = check_tasks(x->where, common, x->config, {x->text}); !sound) return tl::unexpected{sound.error()};
  run_spec spec{.name = x->task.name, .command = "optimize"};
  for (const auto& device : std::set(options.devices.begin(), options.devices.end()))
    for (const auto& dsl : std::set(options.dsls.begin(), options.dsls.end()))
      spec.jobs.push_back(make_job(*x, options, device, dsl));
  auto out =
      options.out.empty() ? std::filesystem::path{"kernelmesh-out"} / x->task.name : std::filesystem::path{options.out};
  spec.out = std::filesystem::absolute(out).lexically_normal().string();
  auto ready = results_folder::prepare(spec.out);
  if (!ready) return tl::unexpected{ready.error()};
  return drive_one_task(common, *x, std::move(spec));
}

}  // namespace actors::cli
