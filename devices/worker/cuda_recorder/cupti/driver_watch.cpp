#include "devices/worker/cuda_recorder/cupti/driver_watch.hpp"

#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <elf.h>
#include <algorithm>
#include <cstring>
#include <string_view>

namespace devices::worker::recorder {

namespace {

thread_local int depth = 0;                        ///< our own calls are not noted
thread_local const void* asked_image = nullptr;    ///< of the call that loads one
thread_local void* asked_owner = nullptr;          ///< the module or library whose image may be loaded by this call
thread_local std::vector<std::size_t> new_images;  ///< since the call began

struct inside {
  inside() { ++depth; }
  ~inside() { --depth; }
};

/// Libraries that the process has loaded already, or finds as torch does.
template <class F>
F found_in(const char* library, const char* name) {
  auto handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle ? reinterpret_cast<F>(dlsym(handle, name)) : nullptr;
}

/// How long an ELF file is, by what its tables say.
std::size_t elf_bytes(const void* image) {
  auto begin = static_cast<const char*>(image);
  Elf64_Ehdr header;
  std::memcpy(&header, begin, sizeof(header));
  std::size_t end = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  end = std::max(end, header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, begin + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type != SHT_NOBITS) end = std::max<std::size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

wire::bytes bytes_at(const void* at, std::size_t size) {
  auto begin = static_cast<const std::byte*>(at);
  return {begin, begin + size};
}

/// Calls that move nothing and launch nothing although they are called like some that do.
bool is_harmless(std::string_view name) { return name.starts_with("cuMemcpyBatch") && name.ends_with("Attributes"); }

bool moves_memory(std::string_view name) {
  constexpr std::array<std::string_view, 6> kinds{"cuMemcpy",      "cuMemset",      "cuLaunch",
                                                  "cuStreamWrite", "cuStreamBatch", "cuGraphLaunch"};
  return std::any_of(kinds.begin(), kinds.end(), [&](auto x) { return name.starts_with(x); }) && !is_harmless(name);
}

}  // namespace

// -- what CUPTI tells -------------------------------------------------------------------------------------------------

/// Callbacks; each is inside the watch's lock.
struct driver_calls {
  driver_watch& watch;
  std::map<void*, void*> owner_of;                        ///< kernel -> its module or library
  std::map<void*, std::vector<std::size_t>> images_of{};  ///< of a module or library

  void image_loaded(const void* at, std::size_t size) {
    auto number = watch.recording_.add_image(bytes_at(at, size));
    new_images.push_back(number);
    if (asked_owner) images_of[asked_owner].push_back(number);
  }

  /// Not every library announces its image: then it is what was given to be loaded, if that is one.
  void owner_loaded(void* owner, const void* image) {
    if (new_images.empty() && image && std::memcmp(image, ELFMAG, SELFMAG) == 0) image_loaded(image, elf_bytes(image));
    for (auto x : new_images) images_of[owner].push_back(x);
  }

  std::optional<std::size_t> image_of(void* kernel, const std::string& name) {
    auto has = [&](std::size_t x) { return watch.recording_.parameters(x, name).has_value(); };
    if (auto owner = owner_of.find(kernel); owner != owner_of.end())
      for (auto x : images_of[owner->second])
        if (has(x)) return x;
    std::optional<std::size_t> last;
    for (const auto& [owner, images] : images_of)
      for (auto x : images)
        if (has(x)) last = x;
    return last;
  }

  void launched(void* kernel, const char* symbol, const CUlaunchConfig& x, void** parameters, void** extra) {
    auto& to = watch.recording_;
    std::string name = symbol ? symbol : "";
    auto image = image_of(kernel, name);
    if (!image) return to.refuse("no image is known that has kernel " + name);
    auto count = to.parameters(*image, name)->size();
    if (extra || (!parameters && count > 0)) return to.refuse("kernel " + name + " gets its parameters as one block");
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
    to.launch(seen);
  }

  void begun(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void done(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool loaded(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool allocated(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool launched(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool moved(CUpti_CallbackId id, const CUpti_CallbackData& call);
};

namespace {

driver_calls& calls() {
  static driver_calls x{driver_watch::here(), {}};
  return x;
}

}  // namespace

#define ID(name) CUPTI_DRIVER_TRACE_CBID_##name
#define PARAMETERS(name) const auto& a = *static_cast<const name##_params*>(call.functionParams)

void driver_calls::begun(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  new_images.clear();
  asked_owner = nullptr;
  auto owned = [&](const void* kernel) {
    auto found = owner_of.find(const_cast<void*>(kernel));
    return found == owner_of.end() ? nullptr : found->second;
  };
  switch (id) {
    case ID(cuModuleLoadData): {
      PARAMETERS(cuModuleLoadData);
      asked_image = a.image;
      break;
    }
    case ID(cuModuleLoadDataEx): {
      PARAMETERS(cuModuleLoadDataEx);
      asked_image = a.image;
      break;
    }
    case ID(cuModuleLoadFatBinary): {
      PARAMETERS(cuModuleLoadFatBinary);
      asked_image = a.fatCubin;
      break;
    }
    case ID(cuLibraryLoadData): {
      PARAMETERS(cuLibraryLoadData);
      asked_image = a.code;
      break;
    }
    case ID(cuLaunchKernel): {
      PARAMETERS(cuLaunchKernel);
      asked_owner = owned(a.f);
      break;
    }
    case ID(cuLaunchKernelEx): {
      PARAMETERS(cuLaunchKernelEx);
      asked_owner = owned(a.f);
      break;
    }
    case ID(cuLaunchCooperativeKernel): {
      PARAMETERS(cuLaunchCooperativeKernel);
      asked_owner = owned(a.f);
      break;
    }
    case ID(cuKernelGetFunction): {
      PARAMETERS(cuKernelGetFunction);
      asked_owner = owned(a.kernel);
      break;
    }
    case ID(cuModuleGetFunction): {
      PARAMETERS(cuModuleGetFunction);
      asked_owner = a.hmod;
      break;
    }
    case ID(cuLibraryGetKernel): {
      PARAMETERS(cuLibraryGetKernel);
      asked_owner = a.library;
      break;
    }
    case ID(cuLibraryGetModule): {
      PARAMETERS(cuLibraryGetModule);
      asked_owner = a.library;
      break;
    }
    case ID(cuMemFree_v2): {
      PARAMETERS(cuMemFree_v2);
      watch.recording_.freed(a.dptr);
      break;
    }
    case ID(cuMemFreeAsync): {
      PARAMETERS(cuMemFreeAsync);
      watch.recording_.freed(a.dptr);
      break;
    }
    default: break;
  }
}

void driver_calls::done(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (*static_cast<CUresult*>(call.functionReturnValue) != CUDA_SUCCESS) return;
  if (loaded(id, call) || allocated(id, call) || !watch.recording_on_) return;
  if (launched(id, call) || moved(id, call)) return;
  std::string_view name{call.functionName};
  if (name == "cuLaunchHostFunc" || name == "cuStreamAddCallback")
    watch.recording_.refuse("it calls the host from a stream");
  else if (moves_memory(name))
    watch.recording_.refuse("it uses " + std::string{name});
}

bool driver_calls::loaded(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  switch (id) {
    case ID(cuModuleLoadData): {
      PARAMETERS(cuModuleLoadData);
      owner_loaded(*a.module, a.image);
      return true;
    }
    case ID(cuModuleLoad): {
      PARAMETERS(cuModuleLoad);
      owner_loaded(*a.module, nullptr);
      return true;
    }
    case ID(cuModuleLoadDataEx): {
      PARAMETERS(cuModuleLoadDataEx);
      owner_loaded(*a.module, a.image);
      return true;
    }
    case ID(cuModuleLoadFatBinary): {
      PARAMETERS(cuModuleLoadFatBinary);
      owner_loaded(*a.module, a.fatCubin);
      return true;
    }
    case ID(cuLibraryLoadData): {
      PARAMETERS(cuLibraryLoadData);
      owner_loaded(*a.library, a.code);
      return true;
    }
    case ID(cuLibraryLoadFromFile): {
      PARAMETERS(cuLibraryLoadFromFile);
      owner_loaded(*a.library, nullptr);
      return true;
    }
    case ID(cuModuleGetFunction): {
      PARAMETERS(cuModuleGetFunction);
      owner_of[*a.hfunc] = a.hmod;
      return true;
    }
    case ID(cuLibraryGetKernel): {
      PARAMETERS(cuLibraryGetKernel);
      owner_of[*a.pKernel] = a.library;
      return true;
    }
    case ID(cuLibraryGetModule): {
      PARAMETERS(cuLibraryGetModule);
      images_of[*a.pMod] = images_of[a.library];
      return true;
    }
    case ID(cuLibraryEnumerateKernels): {
      PARAMETERS(cuLibraryEnumerateKernels);
      for (unsigned i = 0; i < a.numKernels; ++i) owner_of[a.kernels[i]] = a.lib;
      return true;
    }
    case ID(cuKernelGetFunction): {
      PARAMETERS(cuKernelGetFunction);
      if (auto owner = owner_of.find(a.kernel); owner != owner_of.end()) owner_of[*a.pFunc] = owner->second;
      return true;
    }
    default: return false;
  }
}

bool driver_calls::allocated(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  auto note = [&](const CUdeviceptr* at, std::size_t bytes) { return watch.recording_.allocated({*at, bytes}), true; };
  switch (id) {
    case ID(cuMemAlloc_v2): {
      PARAMETERS(cuMemAlloc_v2);
      return note(a.dptr, a.bytesize);
    }
    case ID(cuMemAllocAsync): {
      PARAMETERS(cuMemAllocAsync);
      return note(a.dptr, a.bytesize);
    }
    case ID(cuMemAllocFromPoolAsync): {
      PARAMETERS(cuMemAllocFromPoolAsync);
      return note(a.dptr, a.bytesize);
    }
    default: return false;
  }
}

bool driver_calls::launched(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  auto config = [](const auto& a) {
    return CUlaunchConfig{a.gridDimX,  a.gridDimY,       a.gridDimZ, a.blockDimX, a.blockDimY,
                          a.blockDimZ, a.sharedMemBytes, a.hStream,  nullptr,     0};
  };
  switch (id) {
    case ID(cuLaunchKernel):
    case ID(cuLaunchKernel_ptsz): {
      PARAMETERS(cuLaunchKernel);
      return launched(a.f, call.symbolName, config(a), a.kernelParams, a.extra), true;
    }
    case ID(cuLaunchKernelEx):
    case ID(cuLaunchKernelEx_ptsz): {
      PARAMETERS(cuLaunchKernelEx);
      return launched(a.f, call.symbolName, *a.config, a.kernelParams, a.extra), true;
    }
    case ID(cuLaunchCooperativeKernel):
    case ID(cuLaunchCooperativeKernel_ptsz): {
      PARAMETERS(cuLaunchCooperativeKernel);
      CUlaunchAttribute cooperative{};
      cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative.value.cooperative = 1;
      auto x = config(a);
      x.attrs = &cooperative, x.numAttrs = 1;
      return launched(a.f, call.symbolName, x, a.kernelParams, nullptr), true;
    }
    default: return false;
  }
}

bool driver_calls::moved(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  auto& to = watch.recording_;
  auto fill = [&](CUdeviceptr at, unsigned value, unsigned width, std::size_t count) {
    auto low = static_cast<std::uint8_t>(value);
    unsigned whole = low * 0x01010101u & (width == 4 ? 0xffffffffu : (1u << 8 * width) - 1);
    if (whole != value)
      to.refuse("it fills memory with a pattern of several bytes");
    else
      to.fill(at, width * count, low);
    return true;
  };
  auto copy = [&](auto source, auto target, std::size_t bytes) {
    return to.copy((address)source, (address)target, bytes), true;
  };
  switch (id) {
    case ID(cuMemcpyAsync): {
      PARAMETERS(cuMemcpyAsync);
      return copy(a.src, a.dst, a.ByteCount);
    }
    case ID(cuMemcpy): {
      PARAMETERS(cuMemcpy);
      return copy(a.src, a.dst, a.ByteCount);
    }
    case ID(cuMemcpyDtoDAsync_v2): {
      PARAMETERS(cuMemcpyDtoDAsync_v2);
      return copy(a.srcDevice, a.dstDevice, a.ByteCount);
    }
    case ID(cuMemcpyDtoD_v2): {
      PARAMETERS(cuMemcpyDtoD_v2);
      return copy(a.srcDevice, a.dstDevice, a.ByteCount);
    }
    case ID(cuMemcpyHtoDAsync_v2): {
      PARAMETERS(cuMemcpyHtoDAsync_v2);
      return copy(a.srcHost, a.dstDevice, a.ByteCount);
    }
    case ID(cuMemcpyHtoD_v2): {
      PARAMETERS(cuMemcpyHtoD_v2);
      return copy(a.srcHost, a.dstDevice, a.ByteCount);
    }
    case ID(cuMemcpyDtoHAsync_v2): {
      PARAMETERS(cuMemcpyDtoHAsync_v2);
      return copy(a.srcDevice, a.dstHost, a.ByteCount);
    }
    case ID(cuMemcpyDtoH_v2): {
      PARAMETERS(cuMemcpyDtoH_v2);
      return copy(a.srcDevice, a.dstHost, a.ByteCount);
    }
    case ID(cuMemsetD8Async): {
      PARAMETERS(cuMemsetD8Async);
      return fill(a.dstDevice, a.uc, 1, a.N);
    }
    case ID(cuMemsetD8_v2): {
      PARAMETERS(cuMemsetD8_v2);
      return fill(a.dstDevice, a.uc, 1, a.N);
    }
    case ID(cuMemsetD16Async): {
      PARAMETERS(cuMemsetD16Async);
      return fill(a.dstDevice, a.us, 2, a.N);
    }
    case ID(cuMemsetD32Async): {
      PARAMETERS(cuMemsetD32Async);
      return fill(a.dstDevice, a.ui, 4, a.N);
    }
    case ID(cuMemsetD32_v2): {
      PARAMETERS(cuMemsetD32_v2);
      return fill(a.dstDevice, a.ui, 4, a.N);
    }
    default: return false;
  }
}

#undef ID
#undef PARAMETERS

namespace {

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* told) {
  if (depth > 0) return;
  driver_watch::here().with([&](recording&) {
    inside our_own;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      auto resource = static_cast<const CUpti_ResourceData*>(told)->resourceDescriptor;
      auto image = static_cast<const CUpti_ModuleResourceData*>(resource);
      return calls().image_loaded(image->pCubin, image->cubinSize);
    }
    const auto& call = *static_cast<const CUpti_CallbackData*>(told);
    call.callbackSite == CUPTI_API_ENTER ? calls().begun(id, call) : calls().done(id, call);
  });
}

}  // namespace

// -- the watch --------------------------------------------------------------------------------------------------------

driver_watch& driver_watch::here() {
  static driver_watch x;
  return x;
}

bool driver_watch::start() {
  constexpr auto cupti = "libcupti.so.13";
  auto subscribe = found_in<decltype(&cuptiSubscribe)>(cupti, "cuptiSubscribe");
  auto enable_domain = found_in<decltype(&cuptiEnableDomain)>(cupti, "cuptiEnableDomain");
  auto enable = found_in<decltype(&cuptiEnableCallback)>(cupti, "cuptiEnableCallback");
  CUpti_SubscriberHandle handle = nullptr;
  if (watching_ || !subscribe || !enable_domain || !enable) return watching_;
  if (subscribe(&handle, on_call, nullptr) != CUPTI_SUCCESS) return false;
  watching_ = enable_domain(1, handle, CUPTI_CB_DOMAIN_DRIVER_API) == CUPTI_SUCCESS
              && enable(1, handle, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED) == CUPTI_SUCCESS;
  return watching_;
}

void driver_watch::record(bool on) {
  std::lock_guard lock{mutex_};
  recording_on_ = on;
}

void* driver_watch::allocate(std::size_t bytes) {
  static auto allocate = found_in<decltype(&cuMemAlloc)>("libcuda.so.1", "cuMemAlloc_v2");
  CUdeviceptr at = 0;
  return bytes > 0 && allocate && allocate(&at, bytes) == CUDA_SUCCESS ? reinterpret_cast<void*>(at) : nullptr;
}

void driver_watch::free_later(void* at) {
  std::lock_guard lock{mutex_};
  if (at) freed_.push_back(at);
}

void driver_watch::give_back() {
  static auto give = found_in<decltype(&cuMemFree)>("libcuda.so.1", "cuMemFree_v2");
  std::vector<void*> all;
  with([&](recording&) { all.swap(freed_); });
  for (auto x : all) give(reinterpret_cast<CUdeviceptr>(x));
}

}  // namespace devices::worker::recorder
