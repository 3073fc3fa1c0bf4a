#pragma once
// A device whose trace, verify and time stages a judge with its zygote does: what all of them have in common.

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "devices/executor.hpp"
#include "devices/worker/worker_family.hpp"
#include "messages/blobs/blob_store.hpp"

namespace devices::worker {

struct judge_device_options {
  messages::device_name name{"cpu:0"};  ///< or "cuda:1"
  worker_python python;
  std::map<std::string, std::filesystem::path> adapters;  ///< DSL -> its adapter.py; of those not named, none is used
  std::filesystem::path calibrations;              ///< folder of calibration_file.hpp; empty: measured each start
  std::chrono::milliseconds start_limit{120'000};  ///< of judge and zygote, and again for the first question
  std::vector<std::filesystem::path> readable;     ///< in its sandbox, beside what its Python needs
  std::vector<std::filesystem::path> nodes;        ///< files in /dev that the device is used through

  messages::expected<void> validate() const;
};

/// Ready when the judge has said what the device is. One stage runs at a time, others wait inside.
/// What the judge measured becomes a verdict by verdict_rules.hpp. A task that can't be imported or run is rejected
/// with `task_error`, whichever stage finds out.
messages::expected<std::unique_ptr<executor>> make_judge_device(std::shared_ptr<worker_hub> hub,
                                                                const blobs::blob_store& store,
                                                                const judge_device_options& options);

}  // namespace devices::worker
