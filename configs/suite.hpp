#pragma once
// A benchmark suite in KernelBench's form: a checkout with a folder for each level, or one problem a line.

#include <filesystem>
#include <string>
#include <vector>

#include "messages/records/bench.hpp"
#include "messages/records/failure.hpp"

namespace configs {

/// Both ends included.
struct number_range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const number_range&, const number_range&) = default;
};

/// "1,19-25". Failure: bad_input, which names the flag.
messages::expected<std::vector<number_range>> parse_ranges(const std::string& flag, const std::string& text);

/// Empty lists choose all.
struct problem_choice {
  std::vector<number_range> levels;
  std::vector<number_range> problems;  ///< of each level
};

/// The chosen problems by level and number. `data` is a checkout (or its folder that holds level1, level2, ...) or a
/// JSON-lines file with level, problem_id, name, code. Failures: bad_input (no suite there, a line that is none,
/// nothing chosen), storage.
messages::expected<std::vector<messages::suite_problem>> read_suite(const std::filesystem::path& data,
                                                                    const problem_choice& choice = {});

/// "kernelbench:1/19" of a problem.
std::string problem_name(const messages::suite_problem& x);

/// Whether a TASK names a problem of a suite, not a file.
bool names_problem(const std::string& task);

/// The problem that `task` names, which names_problem is true of. Failures: as read_suite, and without `data`.
messages::expected<messages::suite_problem> find_problem(const std::string& task, const std::filesystem::path& data);

}  // namespace configs
