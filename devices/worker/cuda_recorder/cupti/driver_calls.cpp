#include "devices/worker/cuda_recorder/cupti/driver_calls.hpp"

#include <elf.h>
#include <algorithm>
#include <cstring>

namespace devices::worker::recorder {

namespace {

thread_local void* asked_owner = nullptr;          ///< the module or library whose image may be loaded by this call
thread_local std::vector<std::size_t> new_images;  ///< since the call began

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

}  // namespace

void driver_calls::image_loaded(const void* at, std::size_t size) {
  auto begin = static_cast<const std::byte*>(at);
  auto number = to_.add_image({begin, begin + size});
  new_images.push_back(number);
  if (asked_owner) images_[asked_owner].push_back(number);
}

/// Not every library announces its image: then it is what was given to be loaded, if that is one.
void driver_calls::owner_loaded(void* owner, const void* image) {
  if (new_images.empty() && image && std::memcmp(image, ELFMAG, SELFMAG) == 0) image_loaded(image, elf_bytes(image));
  for (auto x : new_images) images_[owner].push_back(x);
}

void* driver_calls::owner_of(const void* kernel) const {
  auto found = owners_.find(kernel);
  return found == owners_.end() ? nullptr : found->second;
}

/// Kernels of one name may lie in many images.
std::optional<std::size_t> driver_calls::image_of(void* kernel, const std::string& name) {
  auto has = [&](std::size_t x) { return to_.parameters(x, name).has_value(); };
  if (auto owner = owner_of(kernel))
    for (auto x : images_[owner])
      if (has(x)) return x;
  std::optional<std::size_t> last;
  for (const auto& [owner, images] : images_)
    for (auto x : images)
      if (has(x)) last = x;
  return last;
}

// clang-format off
#define OF(name) case KERNELMESH_CALL(name): { KERNELMESH_PARAMETERS(name);

/// A call may load the image that its module or library has waited with.
void driver_calls::begun(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  new_images.clear();
  asked_owner = nullptr;
  switch (id) {
    OF(cuLaunchKernel) asked_owner = owner_of(a.f); break; }
    OF(cuLaunchKernelEx) asked_owner = owner_of(a.f); break; }
    OF(cuLaunchCooperativeKernel) asked_owner = owner_of(a.f); break; }
    OF(cuKernelGetFunction) asked_owner = owner_of(a.kernel); break; }
    OF(cuModuleGetFunction) asked_owner = a.hmod; break; }
    OF(cuLibraryGetKernel) asked_owner = a.library; break; }
    OF(cuLibraryGetModule) asked_owner = a.library; break; }
    OF(cuMemFree_v2) to_.freed(a.dptr); break; }
    OF(cuMemFreeAsync) to_.freed(a.dptr); break; }
    default: break;
  }
}

bool driver_calls::loaded(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  switch (id) {
    OF(cuModuleLoadData) owner_loaded(*a.module, a.image); return true; }
    OF(cuModuleLoad) owner_loaded(*a.module, nullptr); return true; }
    OF(cuModuleLoadDataEx) owner_loaded(*a.module, a.image); return true; }
    OF(cuModuleLoadFatBinary) owner_loaded(*a.module, a.fatCubin); return true; }
    OF(cuLibraryLoadData) owner_loaded(*a.library, a.code); return true; }
    OF(cuLibraryLoadFromFile) owner_loaded(*a.library, nullptr); return true; }
    default: return false;
  }
}

bool driver_calls::found(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  switch (id) {
    OF(cuModuleGetFunction) owners_[*a.hfunc] = a.hmod; return true; }
    OF(cuLibraryGetKernel) owners_[*a.pKernel] = a.library; return true; }
    OF(cuLibraryGetModule) images_[*a.pMod] = images_[a.library]; return true; }
    OF(cuLibraryEnumerateKernels)
      for (unsigned i = 0; i < a.numKernels; ++i) owners_[a.kernels[i]] = a.lib;
      return true; }
    OF(cuKernelGetFunction)
      if (auto owner = owner_of(a.kernel)) owners_[*a.pFunc] = owner;
      return true; }
    default: return false;
  }
}

bool driver_calls::allocated(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  auto note = [&](const CUdeviceptr* at, std::size_t bytes) { return to_.allocated({*at, bytes}), true; };
  switch (id) {
    OF(cuMemAlloc_v2) return note(a.dptr, a.bytesize); }
    OF(cuMemAllocAsync) return note(a.dptr, a.bytesize); }
    OF(cuMemAllocFromPoolAsync) return note(a.dptr, a.bytesize); }
    default: return false;
  }
}

#undef OF
  // clang-format on

  }  // namespace devices::worker::recorder
