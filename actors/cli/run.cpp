#include <algorithm>
#include <iostream>
#include <thread>

#include "actors/cli/commands.hpp"
#include "actors/cli/finish.hpp"
#include "actors/cli/results_folder.hpp"
#include "actors/cli/running_runs.hpp"
#include "actors/executors.hpp"
#include "actors/journal_file.hpp"
#include "actors/logic/estimate.hpp"
#include "actors/report/text.hpp"
#include "configs/offers.hpp"
#include "configs/run_plan.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// Newer runs tell more about this machine; older ones are not read.
constexpr std::size_t runs_to_learn_from = 20;

logic::stage_averages measured_before(const fs::path& state) {
  logic::stage_averages measured;
  auto runs = runs_on_disk(state);
  for (std::size_t i = runs.size() - std::min(runs.size(), runs_to_learn_from); i < runs.size(); ++i)
    if (auto facts = read_journal(runs_folder(state), runs[i])) logic::add_stages(measured, *facts);
  return measured;
}

outcome print_estimate(const run_spec& spec, const configs::system_config& system, const fs::path& state, bool json) {
  logic::estimate_options options{std::thread::hardware_concurrency(), needs_workers(system)};
  auto document = logic::estimate_of(spec, measured_before(state), options);
  std::cout << (json ? wire::to_json(document, {.indent = 2}) + '\n' : report::text_of(document));
  return exit_code::done;
}

/// Before anything is started: a run of hours should not end with a slip of the pen.
expected<void> check_texts(const place& where, const common_options& common, const configs::system_config& system,
                           const run_spec& spec, const blobs::blob_store& store) {
  std::vector<configs::task_to_check> tasks;
  for (const auto& job : spec.jobs)
    if (auto file = store.path_of(job.task)) tasks.push_back({job.task_file, *file});
  return check_tasks(where, common, system, tasks);
}

}  // namespace

outcome run(const common_options& common, const run_options& options) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto config = configs::load_run_config(options.config, where->known);
  if (!config) return tl::unexpected{config.error()};
  auto system = system_of(*where, *config);
  if (!system) return tl::unexpected{system.error()};
  if (auto there = configs::check_targets(*config, *system); !there) return tl::unexpected{there.error()};
  if (auto fit = check_fit(*where, *config, *system); !fit) return tl::unexpected{fit.error()};
  auto state = where->open_state(system->state_folder);
  if (!state) return tl::unexpected{state.error()};
  auto store = blobs::blob_store::open(blobs_folder(*state));
  if (!store) return tl::unexpected{store.error()};
  auto spec = configs::resolve(*config, new_run_id(), *store);
  if (!spec) return tl::unexpected{spec.error()};
  spec->config = config->text;
  spec->config_file = fs::absolute(options.config).lexically_normal().string();
  auto out = options.out.empty() ? config->base() / config->out : fs::path{options.out};
  spec->out = fs::absolute(out).lexically_normal().string();
  if (auto missing = configs::missing_offers(*spec, *system); !missing.empty())
    return fail(failure_code::no_resource, missing.front());
  if (options.estimate) return print_estimate(*spec, *system, *state, common.json);
  if (auto sound = check_texts(*where, common, *system, *spec, *store); !sound) return tl::unexpected{sound.error()};
  auto ready = results_folder::prepare(spec->out);
  if (!ready) return tl::unexpected{ready.error()};
  return drive_to_the_end(*where, {common, *system, *state, *spec});
}

outcome resume(const common_options& common, const resume_options& options) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto state = where->state_of(common);
  if (!state) return tl::unexpected{state.error()};
  auto known = load_run(*state, {options.run});
  if (!known) return tl::unexpected{known.error()};
  if (known->over()) {
    std::cerr << "run " << options.run << " has finished before\n";
    return print_results(*where, *state, {options.run}, common.json);
  }
  auto system = system_of(*where, known->spec);
  if (!system) return tl::unexpected{system.error()};
  return drive_to_the_end(*where, {common, *system, *state, run_id{options.run}});
}

}  // namespace actors::cli
