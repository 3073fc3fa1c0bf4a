#include <algorithm>
#include <filesystem>

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

job_spec make_job(const one_task& x, const optimize_options& options, const target& on) {
  job_spec job{.task_name = x.task.name, .task = x.task_blob, .target = on};
  job.task_file = x.text.called;
  job.profile = true;
  job.job = {x.task.name + '.' + as_part(on.device.value) + '.' + on.dsl};
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
  auto targets = targets_of(x->where, options.devices, options.dsls);
  if (!targets) return tl::unexpected{targets.error()};
  take_up(x->where, x->system_file, x->config, *targets);
  if (auto known = check_devices(x->config, options.devices); !known) return tl::unexpected{known.error()};
  if (auto sound = check_tasks(x->where, common, x->config, {x->text}); !sound) return tl::unexpected{sound.error()};
  run_spec spec{.name = x->task.name, .command = "optimize"};
  for (const auto& on : *targets) spec.jobs.push_back(make_job(*x, options, on));
  auto out =
      options.out.empty() ? std::filesystem::path{"kernelmesh-out"} / x->task.name : std::filesystem::path{options.out};
  spec.out = std::filesystem::absolute(out).lexically_normal().string();
  auto ready = results_folder::prepare(spec.out);
  if (!ready) return tl::unexpected{ready.error()};
  return drive_one_task(common, *x, std::move(spec));
}

}  // namespace actors::cli
