#pragma once
// One short question to another program. Everything longer belongs to the owner of worker processes in devices/worker.

#include <chrono>
#include <string>
#include <vector>

namespace configs {

struct ended_process {
  std::string start_error;  ///< why it did not start; then nothing else counts
  bool timed_out = false;
  int exit_code = -1;  ///< -1: killed
  std::string output;  ///< both streams, the first 64 KiB
};

/// Blocks until it has ended or the limit is over; then its process group is killed. Nothing is left behind.
ended_process run_briefly(const std::vector<std::string>& arguments, std::chrono::milliseconds limit);

}  // namespace configs
