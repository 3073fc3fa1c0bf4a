#pragma once
// The CPU of this node as a device: trace, verify and time stages, done by a judge with its zygote.

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "devices/executor.hpp"
#include "devices/worker/worker_family.hpp"
#include "messages/blobs/blob_store.hpp"

namespace devices::cpu {

struct cpu_device_options {
  messages::device_name name{"cpu:0"};
  worker::worker_python python;
  std::map<std::string, std::filesystem::path> adapters;  ///< DSL -> its adapter.py; of those not named, none is used
  std::filesystem::path calibrations;              ///< folder of calibration_file.hpp; empty: measured each start
  std::chrono::milliseconds start_limit{120'000};  ///< of judge and zygote, and again for the first question

  messages::expected<void> validate() const;
};

/// Ready when the judge has said what the device is. One stage runs at a time, others wait inside.
/// What the judge measured becomes a verdict by verdict_rules.hpp. A task that can't be imported or run is rejected
/// with `task_error`, whichever stage finds out.
messages::expected<std::unique_ptr<executor>> make_cpu_device(std::shared_ptr<worker::worker_hub> hub,
                                                              const blobs::blob_store& store,
                                                              const cpu_device_options& options);

}  // namespace devices::cpu
