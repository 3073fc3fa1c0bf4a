#include <algorithm>
#include <array>
#include <string_view>

#include "devices/worker/cuda_recorder/cupti/driver_calls.hpp"

namespace devices::worker::recorder {

namespace {

bool moves_memory(std::string_view name) {
  constexpr std::array<std::string_view, 6> kinds{"cuMemcpy",      "cuMemset",      "cuLaunch",
                                                  "cuStreamWrite", "cuStreamBatch", "cuGraphLaunch"};
  return std::any_of(kinds.begin(), kinds.end(), [&](auto x) { return name.starts_with(x); });
}

template <class Parameters>
CUlaunchConfig config_of(const Parameters& a) {
  CUlaunchConfig x{};
  x.gridDimX = a.gridDimX, x.gridDimY = a.gridDimY, x.gridDimZ = a.gridDimZ;
  x.blockDimX = a.blockDimX, x.blockDimY = a.blockDimY, x.blockDimZ = a.blockDimZ;
  x.sharedMemBytes = a.sharedMemBytes;
  return x;
}

}  // namespace

/// What moves memory or launches and is not known here is refused, never left out.
void driver_calls::done(CUpti_CallbackId id, const CUpti_CallbackData& call, bool on) {
  if (*static_cast<CUresult*>(call.functionReturnValue) != CUDA_SUCCESS) return;
  if (loaded(id, call) || found(id, call) || allocated(id, call) || !on) return;
  if (launched(id, call) || copied(id, call) || filled(id, call)) return;
  std::string_view name{call.functionName};
  if (name.starts_with("cuLaunchHostFunc") || name == "cuStreamAddCallback")
    to_.refuse("it calls the host from a stream");
  else if (moves_memory(name))
    to_.refuse("it uses " + std::string{name});
}

void driver_calls::launched(void* kernel, const char* symbol, const CUlaunchConfig& x, void** parameters,
                            void** extra) {
  std::string name = symbol ? symbol : "";
  auto image = image_of(kernel, name);
  if (!image) return to_.refuse("no image is known that has kernel " + name);
  auto count = to_.parameters(*image, name)->size();
  if (extra || (!parameters && count > 0)) return to_.refuse("kernel " + name + " gets its parameters as one block");
  seen_launch seen{.image = *image,
                   .kernel = name,
                   .grid = {x.gridDimX, x.gridDimY, x.gridDimZ},
                   .block = {x.blockDimX, x.blockDimY, x.blockDimZ},
                   .cluster = {},
                   .shared_bytes = x.sharedMemBytes,
                   .parameters = {parameters, count}};
  for (unsigned i = 0; i < x.numAttrs; ++i) {
    const auto& value = x.attrs[i].value;
    if (x.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) seen.cooperative = value.cooperative != 0;
    if (x.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      seen.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
  }
  to_.launch(seen);
}

// clang-format off
#define OF(name) case KERNELMESH_CALL(name): { KERNELMESH_PARAMETERS(name);
#define OF_EITHER(name) case KERNELMESH_CALL(name##_ptsz): OF(name)

bool driver_calls::launched(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  switch (id) {
    OF_EITHER(cuLaunchKernel) return launched(a.f, call.symbolName, config_of(a), a.kernelParams, a.extra), true; }
    OF_EITHER(cuLaunchKernelEx) return launched(a.f, call.symbolName, *a.config, a.kernelParams, a.extra), true; }
    OF_EITHER(cuLaunchCooperativeKernel)
      CUlaunchAttribute cooperative{};
      cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative.value.cooperative = 1;
      auto x = config_of(a);
      x.attrs = &cooperative, x.numAttrs = 1;
      return launched(a.f, call.symbolName, x, a.kernelParams, nullptr), true; }
    default: return false;
  }
}

bool driver_calls::copied(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  auto copy = [&](auto from, auto to, std::size_t bytes) { return to_.copy((address)from, (address)to, bytes), true; };
  auto inward = [&](std::size_t bytes) { return to_.copy_from_host(bytes), true; };
  auto outward = [&](std::size_t bytes) { return to_.copy_to_host(bytes), true; };
  switch (id) {
    OF_EITHER(cuMemcpyAsync) return copy(a.src, a.dst, a.ByteCount); }
    OF(cuMemcpy) return copy(a.src, a.dst, a.ByteCount); }
    OF_EITHER(cuMemcpyDtoDAsync_v2) return copy(a.srcDevice, a.dstDevice, a.ByteCount); }
    OF(cuMemcpyDtoD_v2) return copy(a.srcDevice, a.dstDevice, a.ByteCount); }
    OF_EITHER(cuMemcpyHtoDAsync_v2) return inward(a.ByteCount); }
    OF(cuMemcpyHtoD_v2) return inward(a.ByteCount); }
    OF_EITHER(cuMemcpyDtoHAsync_v2) return outward(a.ByteCount); }
    OF(cuMemcpyDtoH_v2) return outward(a.ByteCount); }
    default: return false;
  }
}

bool driver_calls::filled(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  auto fill = [&](CUdeviceptr at, unsigned value, unsigned width, std::size_t count) {
    auto low = static_cast<std::uint8_t>(value);
    unsigned same = low * 0x01010101u & (width == 4 ? 0xffffffffu : (1u << 8 * width) - 1);
    if (same != value) to_.refuse("it fills memory with a pattern of several bytes");
    else to_.fill(at, width * count, low);
    return true;
  };
  switch (id) {
    OF_EITHER(cuMemsetD8Async) return fill(a.dstDevice, a.uc, 1, a.N); }
    OF(cuMemsetD8_v2) return fill(a.dstDevice, a.uc, 1, a.N); }
    OF_EITHER(cuMemsetD16Async) return fill(a.dstDevice, a.us, 2, a.N); }
    OF_EITHER(cuMemsetD32Async) return fill(a.dstDevice, a.ui, 4, a.N); }
    OF(cuMemsetD32_v2) return fill(a.dstDevice, a.ui, 4, a.N); }
    default: return false;
  }
}

#undef OF
#undef OF_EITHER
  // clang-format on

  }  // namespace devices::worker::recorder
