#include "devices/cuda/cuda_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace devices::cuda {

namespace fs = std::filesystem;

namespace {

/// Where NVIDIA installs Nsight Compute, and where PATH has an `ncu`: a link or a script there leads to the former.
std::vector<fs::path> profiler_folders() {
  std::vector<fs::path> found{"/opt/nvidia/nsight-compute"};
  auto path = std::getenv("PATH");
  std::istringstream folders{path ? path : ""};
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (auto real = fs::canonical(fs::path{folder} / "ncu", error); !error && !real.string().starts_with("/usr/"))
      found.push_back(real.parent_path());
  return found;
}

}  // namespace

cuda_surroundings look_for_cuda(const fs::path& devices) {
  cuda_surroundings found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{devices, error})
    if (entry.path().filename().string().starts_with("nvidia")) found.nodes.push_back(entry.path());
  std::ranges::sort(found.nodes);
  for (auto name : {"CUDA_HOME", "CUDA_PATH"})
    if (auto value = std::getenv(name); value && fs::path{value}.is_absolute() && fs::is_directory(value, error))
      found.toolkit.push_back(fs::path{value}.lexically_normal());
  for (const auto& profiler : profiler_folders())
    if (fs::is_directory(profiler, error)) found.toolkit.push_back(profiler);
  return found;
}

messages::expected<void> check_number(const messages::device_name& name, const cuda_surroundings& found,
                                      const char* visible) {
  auto is_gpu = [](const fs::path& node) {
    auto digits = node.filename().string().substr(std::string_view{"nvidia"}.size());
    return !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  };
  auto there = std::ranges::count_if(found.nodes, is_gpu);
  std::string_view list{visible ? visible : ""};
  if (visible) there = std::min(there, list.empty() ? 0 : std::ranges::count(list, ',') + 1);
  auto number = name.value.substr(name.value.find(':') + 1);
  for (decltype(there) i = 0; i < there; ++i)
    if (number == std::to_string(i)) return {};
  bool plain =
      number == "0" || (!number.empty() && number[0] != '0' && number.find_first_not_of("0123456789") == number.npos);
  if (!plain)  // "00" and "-1" are no names: one GPU has one
    return messages::fail(messages::failure_code::misconfigured, name.value + " is no name of a GPU; cuda:0 is one");
  auto where = visible ? "CUDA_VISIBLE_DEVICES is \"" + std::string{list} + '"' : "/dev/nvidia*";
  return messages::fail(messages::failure_code::no_resource, "there is no " + name.value + ": " + std::to_string(there)
                                                                 + " NVIDIA GPUs can be used here (" + where
                                                                 + "); `nvidia-smi -L` lists those of this machine");
}

messages::expected<void> check_here(const messages::device_name& name) {
  return check_number(name, look_for_cuda(), std::getenv("CUDA_VISIBLE_DEVICES"));
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
