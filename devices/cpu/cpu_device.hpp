#pragma once
// The CPU of this node as a device: trace, verify and time stages, done by a judge with its zygote.

#include "devices/worker/judge_craft.hpp"

namespace devices::cpu {

using cpu_device_options = worker::judge_device_options;

messages::expected<std::unique_ptr<executor>> make_cpu_device(std::shared_ptr<worker::worker_hub> hub,
                                                              const blobs::blob_store& store,
                                                              const cpu_device_options& options);

}  // namespace devices::cpu
