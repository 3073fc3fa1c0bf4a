#include "actors/cli/commands.hpp"
#include "actors/cli/one_task.hpp"
#include "configs/candidate_file.hpp"

namespace actors::cli {

using namespace messages;

outcome verify(const common_options& common, const verify_options& options) {
  auto x = open_task(common, {options.task, options.dtype, options.data});
  if (!x) return tl::unexpected{x.error()};
  auto manifest = configs::read_candidate(options.candidate, x->store);
  if (!manifest) return tl::unexpected{manifest.error()};
  bool needs_compiler = !std::holds_alternative<python_host_entry>(manifest->entry);
  target on{{options.device}, needs_compiler ? manifest->dsl : "", ""};
  take_up(x->where, x->system_file, x->config, {on});
  if (auto known = check_devices(x->config, {options.device}); !known) return tl::unexpected{known.error()};
  if (auto sound = check_tasks(x->where, common, x->config, {x->text}); !sound) return tl::unexpected{sound.error()};
  auto blob = x->store.put_record(*manifest);
  if (!blob) return tl::unexpected{blob.error()};

  job_spec job{.task_name = x->task.name, .task = x->task_blob};
  job.task_file = x->text.called;
  job.target = on;
  job.job = {"verify"};
  job.strategy.name = "imported";
  job.strategy.time_limit = std::chrono::hours{1};
  job.judge.draws = options.draws;
  job.judge.policy = options.policy;
  job.judge.baselines = options.baselines;
  job.judge.allow_library_calls = options.allow_library_calls;
  job.time = !options.no_time;
  job.imported = *blob;
  job.imported_from = options.candidate;
  return drive_one_task(common, *x, {.name = x->task.name, .command = "verify", .jobs = {job}});
}

}  // namespace actors::cli
