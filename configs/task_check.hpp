#pragma once
// What is wrong with tasks that their text alone tells: asked of the workers' Python before anything is started.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "messages/records/failure.hpp"

namespace configs {

struct task_to_check {
  std::string called;          ///< as the user knows it: the path that was given, or "kernelbench:1/19"
  std::filesystem::path file;  ///< its record as JSON
};

struct task_check_options {
  std::filesystem::path python;
  std::filesystem::path script;  ///< install_paths::check_task
  std::chrono::milliseconds limit{20'000};
};

/// Syntax, imports of packages that the Python does not have, names that a task must define. Failure: bad_input with a
/// line `FILE:LINE: what is wrong` a task, at most 20. What gets no answer is left to the judge, who says the same.
messages::expected<void> check_tasks(const std::vector<task_to_check>& tasks, const task_check_options& options);

}  // namespace configs
