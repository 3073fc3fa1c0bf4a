#pragma once
// What of a task's code a judge was at when it ended: kernelmesh_worker/task_mark.py notes it in the judge's folder.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace devices::worker {

struct task_mark {
  std::string doing;                    ///< "importing", "running get_inputs"
  std::chrono::milliseconds lasted{0};  ///< until now
  std::uint32_t line = 0;               ///< where it was found at work; 0: unknown
};

/// None where no code of the task ran. The files are written by a process that runs what others wrote: links and pipes
/// are not followed, little is read, and it says nothing but what the task did to itself.
/// @param own folder of the judge
/// @param file name of the task in tracebacks
std::optional<task_mark> read_task_mark(const std::filesystem::path& own, const std::string& file);

}  // namespace devices::worker
