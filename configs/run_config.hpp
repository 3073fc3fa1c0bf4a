#pragma once
// What a run is to do: tasks x targets x variants x repeats. Keys are explained in CONFIG.md, an example is
// run_example.yaml; run_plan.hpp makes the jobs of it.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "configs/problems.hpp"
#include "configs/system_config.hpp"
#include "messages/records/run.hpp"
#include "messages/records/task.hpp"

namespace configs {

struct task_entry {
  static constexpr std::string_view scalar_key = "path";
  std::string path;                               ///< or a glob; relative to the config
  std::optional<messages::dtype> dtype;           ///< none: inputs and weights keep their own
  std::map<std::string, std::int64_t> overrides;  ///< module globals set before get_inputs runs
  position at;
  void keys(auto& k);
};

/// Each device with each DSL.
struct target_entry {
  std::vector<std::string> device;
  std::vector<std::string> dsl;
  std::string arch;  ///< empty: the device's own
  position at;
  void keys(auto& k);
};

/// Of one job.
struct job_limits {
  std::chrono::milliseconds time = messages::strategy_options{}.time_limit;
  std::uint32_t evaluations = messages::strategy_options{}.evaluations;
  void keys(auto& k);
};

struct agent_choice {
  std::string planner = "rules", coder = "rules", debugger = "rules";
  void keys(auto& k);
};

struct variant_entry {
  std::string name = "default";
  messages::strategy_options strategy;  ///< its limits are in `limits`
  job_limits limits;
  agent_choice agents;
  messages::judge_options judge;
  bool timing = true;  ///< false: verify only
  void keys(auto& k);
};

struct run_config {
  std::string name;
  std::variant<std::string, system_config> system{"local"};  ///< a name or path, or written out here
  std::optional<messages::dtype> dtype;                      ///< of tasks that say none
  std::vector<task_entry> tasks;
  std::vector<target_entry> targets;
  variant_entry shared;                 ///< what a variant starts from; its keys stand at the top level
  std::vector<variant_entry> variants;  ///< never empty once read
  std::uint32_t repeats = 1;
  std::uint64_t seed = 0;
  std::uint32_t parallel_jobs = messages::run_spec{}.parallel_jobs;
  std::string out = "kernelmesh-out";  ///< folder for exports and reports; relative to the config

  std::filesystem::path file;  ///< where it was read from
  std::string text;            ///< as it was read

  void keys(auto& k);
  messages::expected<void> validate(const known_names& known = {}) const;
  /// What relative paths are relative to.
  std::filesystem::path base() const { return std::filesystem::absolute(file).parent_path(); }
};

/// Every problem in one go. Failures: misconfigured, storage.
messages::expected<run_config> load_run_config(const std::filesystem::path& file, const known_names& known = {});

/// The same from a text; `file` is what its problems name.
messages::expected<run_config> parse_run_config(std::string text, const std::filesystem::path& file,
                                                const known_names& known = {});

/// The system config that the run names or holds.
/// @param systems where named ones lie
messages::expected<system_config> system_of(const run_config& config, const std::filesystem::path& systems,
                                            const known_names& known = {});

}  // namespace configs
