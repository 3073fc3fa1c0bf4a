#pragma once
// The interface of the CUDA driver, as much of it as is used here, declared by hand: this builds where no toolkit is,
// and starts where no driver is. Names, types and numbers are those of NVIDIA's cuda.h.

#include <array>
#include <cstdint>
#include <string>

#include "devices/worker/native/order.hpp"

namespace devices::worker::cuda {

using native::expected, native::failed;

// -- types ------------------------------------------------------------------------------------------------------------

using result = int;  ///< 0: done
using device = int;
using device_address = unsigned long long;
using context = struct CUctx_st*;
using module = struct CUmod_st*;
using function = struct CUfunc_st*;
using stream = struct CUstream_st*;
using event = struct CUevent_st*;

struct ipc_handle {
  std::array<std::byte, 64> content;
};

struct launch_attribute {
  static constexpr int is_cooperative = 2, cluster_dimension = 4;
  int id = 0;
  alignas(8) std::array<std::uint32_t, 16> value{};  ///< only what `id` needs is looked at
};
static_assert(sizeof(launch_attribute) == 72);

struct launch_config {
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  unsigned shared_bytes = 0;
  cuda::stream stream = nullptr;
  launch_attribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(launch_config) == 56);

enum device_attribute : int {
  threads_a_block = 1,
  block_x = 2,  ///< y and z follow
  grid_x = 5,   ///< y and z follow
  l2_bytes = 38,
  shared_memory_bytes_a_block = 97,  ///< with opting in
  has_clusters = 120,
};

enum function_attribute : int { most_dynamic_shared_bytes = 8, large_clusters_allowed = 14 };

// -- functions --------------------------------------------------------------------------------------------------------

struct driver {
  result (*cuInit)(unsigned flags) = nullptr;
  result (*cuGetErrorName)(result, const char**) = nullptr;
  result (*cuGetErrorString)(result, const char**) = nullptr;
  result (*cuDeviceGet)(device*, int ordinal) = nullptr;
  result (*cuDeviceGetAttribute)(int*, device_attribute, device) = nullptr;
  result (*cuDevicePrimaryCtxRetain)(context*, device) = nullptr;
  result (*cuCtxSetCurrent)(context) = nullptr;
  result (*cuMemGetInfo)(std::size_t* free, std::size_t* total) = nullptr;
  result (*cuMemAlloc)(device_address*, std::size_t) = nullptr;
  result (*cuMemGetAddressRange)(device_address* base, std::size_t*, device_address) = nullptr;
  result (*cuMemsetD8Async)(device_address, unsigned char, std::size_t, stream) = nullptr;
  result (*cuMemcpyDtoDAsync)(device_address to, device_address from, std::size_t, stream) = nullptr;
  result (*cuIpcOpenMemHandle)(device_address*, ipc_handle, unsigned flags) = nullptr;
  result (*cuModuleLoadData)(module*, const void* image) = nullptr;
  result (*cuModuleGetFunction)(function*, module, const char* name) = nullptr;
  result (*cuModuleGetGlobal)(device_address*, std::size_t*, module, const char* name) = nullptr;
  result (*cuFuncGetParamInfo)(function, std::size_t index, std::size_t* offset, std::size_t* bytes) = nullptr;
  result (*cuFuncSetAttribute)(function, function_attribute, int) = nullptr;
  result (*cuLaunchKernelEx)(const launch_config*, function, void** parameters, void** extra) = nullptr;
  result (*cuStreamCreate)(stream*, unsigned flags) = nullptr;
  result (*cuStreamSynchronize)(stream) = nullptr;
  result (*cuEventCreate)(event*, unsigned flags) = nullptr;
  result (*cuEventRecord)(event, stream) = nullptr;
  result (*cuEventElapsedTime)(float* milliseconds, event begin, event end) = nullptr;

  /// Calls `f(symbol, pointer)` for each.
  void each(auto f) {
    f("cuInit", cuInit);
    f("cuGetErrorName", cuGetErrorName);
    f("cuGetErrorString", cuGetErrorString);
    f("cuDeviceGet", cuDeviceGet);
    f("cuDeviceGetAttribute", cuDeviceGetAttribute);
    f("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain);
    f("cuCtxSetCurrent", cuCtxSetCurrent);
    f("cuMemGetInfo_v2", cuMemGetInfo);
    f("cuMemAlloc_v2", cuMemAlloc);
    f("cuMemGetAddressRange_v2", cuMemGetAddressRange);
    f("cuMemsetD8Async", cuMemsetD8Async);
    f("cuMemcpyDtoDAsync_v2", cuMemcpyDtoDAsync);
    f("cuIpcOpenMemHandle_v2", cuIpcOpenMemHandle);
    f("cuModuleLoadData", cuModuleLoadData);
    f("cuModuleGetFunction", cuModuleGetFunction);
    f("cuModuleGetGlobal_v2", cuModuleGetGlobal);
    f("cuFuncGetParamInfo", cuFuncGetParamInfo);
    f("cuFuncSetAttribute", cuFuncSetAttribute);
    f("cuLaunchKernelEx", cuLaunchKernelEx);
    f("cuStreamCreate", cuStreamCreate);
    f("cuStreamSynchronize", cuStreamSynchronize);
    f("cuEventCreate", cuEventCreate);
    f("cuEventRecord", cuEventRecord);
    f("cuEventElapsedTime", cuEventElapsedTime);
  }

  /// Nothing is initialised yet.
  static expected<driver> load();

  /// A failure says what was done and, in the driver's words, why it did not work.
  expected<void> checked(result x, const std::string& what) const;
};

}  // namespace devices::worker::cuda
