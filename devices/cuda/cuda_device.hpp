#pragma once
// An NVIDIA GPU of this node as a device: trace, verify and time stages, done by a judge with its zygote.

#include "devices/worker/judge_craft.hpp"

namespace devices::cuda {

/// What a sandbox shows of the machine, so that processes in it can use its GPUs.
struct cuda_surroundings {
  std::vector<std::filesystem::path> nodes;    ///< /dev/nvidia*
  std::vector<std::filesystem::path> toolkit;  ///< folders of CUDA and of Nsight Compute that are not the system's
};

/// @param devices the folder /dev
cuda_surroundings look_for_cuda(const std::filesystem::path& devices = "/dev");

/// Is there a GPU of that number among those that CUDA_VISIBLE_DEVICES names, or among all where it is not set
/// (`visible` null)? Failure: misconfigured, with what to do.
messages::expected<void> check_number(const messages::device_name& name, const cuda_surroundings& found,
                                      const char* visible);

/// The same of this machine and this process's environment.
messages::expected<void> check_here(const messages::device_name& name);

/// The number in `options.name` counts among the GPUs that CUDA_VISIBLE_DEVICES names. Whether it can be used is found
/// out by the judge: its first answer is the failure then, with what to do.
messages::expected<std::unique_ptr<executor>> make_cuda_device(std::shared_ptr<worker::worker_hub> hub,
                                                               const blobs::blob_store& store,
                                                               worker::judge_device_options options);

}  // namespace devices::cuda
