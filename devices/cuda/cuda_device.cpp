#include "devices/cuda/cuda_device.hpp"

#include <algorithm>
#include <cstdlib>

namespace devices::cuda {

namespace fs = std::filesystem;

cuda_surroundings look_for_cuda(const fs::path& devices) {
  cuda_surroundings found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{devices, error})
    if (entry.path().filename().string().starts_with("nvidia")) found.nodes.push_back(entry.path());
  std::ranges::sort(found.nodes);
  for (auto name : {"CUDA_HOME", "CUDA_PATH"})
    if (auto value = std::getenv(name); value && fs::path{value}.is_absolute() && fs::is_directory(value, error))
      found.toolkit.push_back(fs::path{value}.lexically_normal());
  return found;
}

messages::expected<std::unique_ptr<executor>> make_cuda_device(std::shared_ptr<worker::worker_hub> hub,
                                                               const blobs::blob_store& store,
                                                               worker::judge_device_options options) {
  auto found = look_for_cuda();
  options.nodes = std::move(found.nodes);
  options.readable = std::move(found.toolkit);
  return worker::make_judge_device(std::move(hub), store, options);
}

}  // namespace devices::cuda
