#pragma once
// A task from a path: a Python file in KernelBench form. Nothing is run here: what only Python can know, the judge
// says.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "messages/records/failure.hpp"
#include "messages/records/task.hpp"

namespace configs {

struct task_options {
  messages::dtype dtype = messages::task{}.dtype;
  std::map<std::string, std::int64_t> overrides;
  std::uint64_t limit_bytes = 4u << 20;
};

/// Failures, one sentence each with the path and what to do: bad_input (missing, a folder, binary, empty, too large, no
/// `Model`, no `get_inputs`), storage.
messages::expected<messages::task> read_task(const std::filesystem::path& file, const task_options& options = {});

/// "fp16", "float16", "half", "bf16", "fp32", ... as --dtype gives it. Failure: bad_input.
messages::expected<messages::dtype> parse_dtype(const std::string& name);

/// Whether the identifier occurs, comments and texts not left out.
bool mentions(std::string_view code, std::string_view identifier);

}  // namespace configs
