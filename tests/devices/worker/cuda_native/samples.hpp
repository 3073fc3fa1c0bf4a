#pragma once
// A binary that nvcc built, and a record of it: saxpy, through scratch memory to the output.

#include <fstream>
#include <iterator>
#include <string>

#include "devices/worker/cuda_native/launch_check.hpp"

namespace tests {

namespace cuda = devices::worker::cuda;

inline wire::bytes kernels_cubin() {
  std::ifstream file{KERNELMESH_SOURCES "/tests/data/cubins/kernels_sm_90a.cubin", std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  auto begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

inline messages::kernel_parameter pointer_to(messages::buffer_kind buffer, std::uint32_t index) {
  return {wire::bytes(8), {{0, {buffer, index, 0}}}};
}

constexpr std::uint64_t vector_bytes = 4000;

inline messages::launch_record saxpy_record() {
  using enum messages::buffer_kind;
  messages::launch_record x{.arch = "sm_90a", .images = {{"kernels.cu", kernels_cubin()}}, .scratch = {vector_bytes}};
  messages::kernel_launch launch{.kernel = "saxpy", .grid = {4}, .block = {256}};
  launch.parameters = {pointer_to(scratch, 0), pointer_to(argument, 0), pointer_to(argument, 1)};
  launch.parameters.push_back({wire::bytes(4), {}});
  launch.parameters.push_back({wire::bytes(4), {}});
  x.operations = {launch, messages::memory_copy{{scratch, 0, 0}, {output, 0, 0}, vector_bytes}};
  return x;
}

inline cuda::lent_sizes lent_vectors() { return {{vector_bytes, vector_bytes}, {vector_bytes}}; }

/// Empty: accepted.
inline std::string refusal_of(const messages::launch_record& x, const cuda::lent_sizes& lent = lent_vectors(),
                              const cuda::device_limits& limits = {}) {
  auto checked = cuda::check_record(x, lent, limits);
  return checked ? "" : checked.error();
}

}  // namespace tests
