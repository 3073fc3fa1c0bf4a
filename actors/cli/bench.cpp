#include <algorithm>
#include <iostream>

#include "actors/cli/bench_results.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/finish.hpp"
#include "actors/cli/results_folder.hpp"
#include "configs/bounded_file.hpp"
#include "configs/offers.hpp"
#include "configs/run_plan.hpp"
#include "configs/suite.hpp"
#include "configs/task_file.hpp"
#include "configs/wording.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

expected<std::vector<suite_problem>> chosen_problems(const bench_options& options) {
  configs::problem_choice choice;
  for (auto [flag, text, to] : {std::tuple{"--level", &options.level, &choice.levels},
                                std::tuple{"--problem", &options.problem, &choice.problems}}) {
    if (text->empty()) continue;
    auto ranges = configs::parse_ranges(flag, *text);
    if (!ranges) return tl::unexpected{ranges.error()};
    *to = std::move(*ranges);
  }
  return configs::read_suite(options.data, choice);
}

job_spec job_of(const bench_options& options, const suite_problem& problem, const target& on, std::uint32_t repeat) {
  job_spec job{.task_name = problem.name, .target = on, .repeat = repeat};
  job.profile = true;
  job.problem = configs::problem_name(problem);
  job.job = {'L' + std::to_string(problem.level) + '_' + configs::safe_name(problem.name) + '.' + on.dsl + '.'
             + std::to_string(repeat)};
  job.seed = configs::seed_of(options.seed, job.job);
  if (options.time) job.strategy.time_limit = *options.time;
  if (options.evaluations) job.strategy.evaluations = *options.evaluations;
  job.judge.baselines = options.baselines;
  job.judge.allow_library_calls = options.allow_library_calls;
  return job;
}

/// Problems x targets x repeats.
expected<std::vector<job_spec>> make_jobs(const bench_options& options, const std::vector<target>& targets,
                                          const std::vector<suite_problem>& problems, const blobs::blob_store& store) {
  auto dtype = configs::parse_dtype(options.dtype);
  if (!dtype) return tl::unexpected{dtype.error()};
  std::vector<job_spec> jobs;
  for (const auto& problem : problems) {
    auto made = configs::with_dtype({.name = configs::safe_name(problem.name), .code = problem.code}, *dtype);
    made.shrink_to_bytes = options.shrink_to_bytes;
    auto blob = store.put_record(made);
    if (!blob) return tl::unexpected{blob.error()};
    for (const auto& on : targets)
      for (std::uint32_t repeat = 1; repeat <= options.repeats; ++repeat) {
        jobs.push_back(job_of(options, problem, on, repeat));
        jobs.back().task = *blob;
      }
  }
  return jobs;
}

fs::path marker_file(const fs::path& folder) { return folder / "bench.json"; }

/// The run that the folder's results are of; none in a new folder, and where that run never began.
expected<std::optional<logic::run_state>> begun_before(const fs::path& state, const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(marker_file(folder), error)) return std::nullopt;
  auto text = configs::read_file({.path = marker_file(folder), .what = "bench"});
  if (!text) return tl::unexpected{text.error()};
  auto marker = wire::from_json<bench_marker>(*text);
  if (!marker)
    return fail(failure_code::bad_input, marker_file(folder).string() + " is not of a bench; name another --out");
  auto run = load_run(state, {marker->run});
  if (run) return std::move(*run);
  bool results = fs::exists(results_file(folder), error) && fs::file_size(results_file(folder), error) > 0;
  if (!results) return std::nullopt;
  return fail(failure_code::bad_input, folder.string() + " has results of a bench that can't be gone on with ("
                                           + run.error().detail + "); name another --out");
}

expected<void> mark(const fs::path& folder, const run_id& run) {
  return write_file(marker_file(folder), wire::to_json(bench_marker{.run = run.value}, {.indent = 2}) + '\n');
}

expected<run_spec> make_spec(const bench_options& options, const std::vector<target>& targets, const system_place& at) {
  auto problems = chosen_problems(options);
  if (!problems) return tl::unexpected{problems.error()};
  if (auto known = check_devices(at.config, {options.device}); !known) return tl::unexpected{known.error()};
  auto store = blobs::blob_store::open(blobs_folder(at.state));
  if (!store) return tl::unexpected{store.error()};
  auto jobs = make_jobs(options, targets, *problems, *store);
  if (!jobs) return tl::unexpected{jobs.error()};
  run_spec spec{.run = new_run_id(), .name = "kernelbench", .command = "bench", .jobs = std::move(*jobs)};
  spec.system_file = at.system_file.string();
  spec.out = fs::absolute(options.out).lexically_normal().string();
  if (auto missing = configs::missing_offers(spec, at.config); !missing.empty())
    return fail(failure_code::no_resource, missing.front());
  return spec;
}

/// Goes on with the run that the folder is of.
outcome go_on(const common_options& common, const system_place& at, const run_spec& asked,
              const logic::run_state& run) {
  if (run.spec.jobs != asked.jobs)
    return fail(failure_code::bad_input, asked.out + " has results of another bench, run " + run.spec.run.value
                                             + "; give the same problems and options, or name another --out");
  if (run.over()) {
    std::cerr << "this bench has finished before\n";
    return print_results(at.where, at.state, run.spec.run, common.json);
  }
  return drive_to_the_end(at.where, {common, at.config, at.state, run.spec.run});
}

}  // namespace

outcome bench_kernelbench(const common_options& common, const bench_options& options) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto at = open_system(*where, common);
  if (!at) return tl::unexpected{at.error()};
  auto targets = targets_of(at->where, {options.device}, options.dsls);
  if (!targets) return tl::unexpected{targets.error()};
  take_up(at->where, at->system_file, at->config, *targets);
  auto spec = make_spec(options, *targets, *at);
  if (!spec) return tl::unexpected{spec.error()};
  auto ready = results_folder::prepare(spec->out);
  if (!ready) return tl::unexpected{ready.error()};
  auto before = begun_before(at->state, spec->out);
  if (!before) return tl::unexpected{before.error()};
  if (*before) return go_on(common, *at, *spec, **before);
  if (auto marked = mark(spec->out, spec->run); !marked) return tl::unexpected{marked.error()};
  return drive_to_the_end(at->where, {common, at->config, at->state, *spec});
}

}  // namespace actors::cli
