#include "configs/run_plan.hpp"

#include <glob.h>
#include <algorithm>
#include <charconv>
#include <set>

#include "configs/task_file.hpp"
#include "configs/wording.hpp"
#include "messages/records/content_hash.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::blob_hash;
using messages::job_spec;
using messages::target;

namespace {

/// A task with the name that its jobs carry.
struct labelled_task {
  std::string label;
  std::string name;
  blob_hash blob;
  std::string file;  ///< for messages
};

/// Files that a pattern names, sorted; the pattern itself where it is an ordinary path.
std::vector<std::string> files_of(const std::string& pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos || fs::exists(pattern)) return {pattern};
  ::glob_t found{};
  std::vector<std::string> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  std::erase_if(files, [](auto& x) { return fs::is_directory(x); });
  return files;
}

/// Reads the tasks of all entries into the store.
class task_collector {
public:
  task_collector(const run_config& config, const blobs::blob_store& blobs, problem_list& problems)
      : config_(config), blobs_(blobs), problems_(problems) {}

  /// A failure is the store's; what is wrong with tasks is a problem.
  messages::expected<std::vector<labelled_task>> collect() {
    for (auto& entry : config_.tasks) {
      auto pattern = (config_.base() / entry.path).lexically_normal().string();
      auto files = files_of(pattern);
      if (files.empty())
        problems_.add(entry.at, in_quotes(entry.path) + " matches no file in " + fs::absolute(config_.base()).string()
                                    + "; paths are relative to the config");
      for (auto& file : files)
        if (auto added = add(entry, file); !added) return tl::unexpected{added.error()};
    }
    return std::move(tasks_);
  }

private:
  messages::expected<void> add(const task_entry& entry, const std::string& file) {
    auto task = read_task(file, {.dtype = entry.dtype, .overrides = entry.overrides});
    if (!task) {
      problems_.add(entry.at, task.error().detail);
      return {};
    }
    auto blob = blobs_.put_record(*task);
    if (!blob) return tl::unexpected{blob.error()};
    if (!seen_.insert({fs::weakly_canonical(file).string(), blob->value}).second) return {};
    tasks_.push_back({unused_label(safe_name(task->name)), task->name, *blob, path_for_people(file)});
    return {};
  }

  std::string unused_label(const std::string& wish) {
    auto label = wish;
    for (int i = 2; !labels_.insert(label).second; ++i) label = wish + "-" + std::to_string(i);
    return label;
  }

  const run_config& config_;
  const blobs::blob_store& blobs_;
  problem_list& problems_;
  std::vector<labelled_task> tasks_;
  std::set<std::pair<std::string, std::string>> seen_;
  std::set<std::string> labels_;
};

std::vector<target> collect_targets(const run_config& config, problem_list& problems) {
  std::vector<target> out;
  for (auto& entry : config.targets)
    for (auto& device : entry.device)
      for (auto& dsl : entry.dsl) {
        target x{.device = {device}, .dsl = dsl, .arch = entry.arch};
        if (std::find(out.begin(), out.end(), x) != out.end())
          problems.add(entry.at, "the target of device " + in_quotes(device) + " and DSL " + in_quotes(dsl)
                                     + " is given twice; remove one of them");
        out.push_back(std::move(x));
      }
  return out;
}

/// Everything but what names it.
job_spec job_of(const labelled_task& task, const target& where, const variant_entry& variant) {
  job_spec job{.task_name = task.name,
               .task = task.blob,
               .target = where,
               .variant = variant.name,
               .strategy = variant.strategy,
               .agents = {{"planner", variant.agents.planner},
                          {"coder", variant.agents.coder},
                          {"debugger", variant.agents.debugger}},
               .judge = variant.judge,
               .time = variant.timing};
  job.task_file = task.file;
  job.profile = variant.timing;
  job.strategy.time_limit = variant.limits.time;
  job.strategy.evaluations = variant.limits.evaluations;
  return job;
}

/// The targets of one device and DSL differ in their arch.
std::string label_of(const target& x) {
  return safe_name(x.device.value) + "." + safe_name(x.dsl) + (x.arch.empty() ? "" : "-" + safe_name(x.arch));
}

std::vector<job_spec> multiply(const run_config& config, const std::vector<labelled_task>& tasks,
                               const std::vector<target>& targets) {
  std::vector<job_spec> jobs;
  for (auto& task : tasks)
    for (auto& where : targets)
      for (auto& variant : config.variants)
        for (std::uint32_t repeat = 1; repeat <= config.repeats; ++repeat) {
          auto job = job_of(task, where, variant);
          job.repeat = repeat;
          job.job.value = task.label + "." + label_of(where) + "." + variant.name + "." + std::to_string(repeat);
          job.seed = seed_of(config.seed, job.job);
          jobs.push_back(std::move(job));
        }
  return jobs;
}

}  // namespace

std::uint64_t seed_of(std::uint64_t run_seed, const messages::job_id& job) {
  auto hash = messages::content_hash(std::string_view{std::to_string(run_seed) + "/" + job.value});
  std::uint64_t seed = 0;
  std::from_chars(hash.data(), hash.data() + 16, seed, 16);
  return seed >> 1;  // fits a signed number of every language that reads it
}

messages::expected<messages::run_spec> resolve(const run_config& config, const messages::run_id& run,
                                               const blobs::blob_store& blobs) {
  problem_list problems{config.file.string()};
  auto targets = collect_targets(config, problems);
  auto tasks = task_collector{config, blobs, problems}.collect();
  if (!tasks) return tl::unexpected{tasks.error()};
  auto count = tasks->size() * targets.size() * config.variants.size() * config.repeats;
  if (count > most_jobs)
    problems.add(
        {}, "the run has " + std::to_string(count) + " jobs, more than " + std::to_string(most_jobs) + "; split it");
  if (!problems.empty()) return tl::unexpected{problems.as_failure()};
  return messages::run_spec{.run = run,
                            .name = config.name,
                            .jobs = multiply(config, *tasks, targets),
                            .parallel_jobs = config.parallel_jobs,
                            .config = config.text};
}

}  // namespace configs
