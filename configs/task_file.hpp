#pragma once
// A task from a path: a Python file in KernelBench form. Nothing is run here: what only Python can know, the judge
// says.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "messages/records/failure.hpp"
#include "messages/records/task.hpp"

namespace configs {

struct task_options {
  std::optional<messages::dtype> dtype;  ///< to cast floating inputs and weights to; none: they keep their own
  std::map<std::string, std::int64_t> overrides;
  std::uint64_t limit_bytes = 4u << 20;
};

/// Failures, one sentence each with the path and what to do: bad_input (missing, a folder, binary, empty, too large),
/// storage. What its text lacks, task_check.hpp says: only Python knows whether it is one.
messages::expected<messages::task> read_task(const std::filesystem::path& file, const task_options& options = {});

/// "fp16", "float16", "half", "bf16", "fp32", "fp64", ... as --dtype gives it; none of an empty text. Failure:
/// bad_input.
messages::expected<std::optional<messages::dtype>> parse_dtype(const std::string& name);

/// Has the task judged in that dtype; in its own, if there is none.
messages::task with_dtype(messages::task x, std::optional<messages::dtype> wanted);

/// Whether the identifier occurs, comments and texts not left out.
bool mentions(std::string_view code, std::string_view identifier);

}  // namespace configs
