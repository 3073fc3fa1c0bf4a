#include "devices/cpu/cpu_device.hpp"

namespace devices::cpu {

messages::expected<std::unique_ptr<executor>> make_cpu_device(std::shared_ptr<worker::worker_hub> hub,
                                                              const blobs::blob_store& store,
                                                              const cpu_device_options& options) {
  return worker::make_judge_device(std::move(hub), store, options);
}

}  // namespace devices::cpu
