#include "devices/worker/cuda_recorder/cupti/driver_watch.hpp"

#include <dlfcn.h>

#include "devices/worker/cuda_recorder/cupti/driver_calls.hpp"

namespace devices::worker::recorder {

namespace {

thread_local int depth = 0;  ///< our own calls are not noted

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

void tell(recording& to, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* told, bool on) {
  static driver_calls calls{to};
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    auto resource = static_cast<const CUpti_ResourceData*>(told)->resourceDescriptor;
    auto image = static_cast<const CUpti_ModuleResourceData*>(resource);
    return calls.image_loaded(image->pCubin, image->cubinSize);
  }
  const auto& call = *static_cast<const CUpti_CallbackData*>(told);
  call.callbackSite == CUPTI_API_ENTER ? calls.begun(id, call) : calls.done(id, call, on);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* told) {
  if (depth > 0) return;
  auto& watch = driver_watch::here();
  watch.with([&](recording& x) {
    inside our_own;
    tell(x, domain, id, told, watch.is_recording());
  });
}

}  // namespace

driver_watch& driver_watch::here() {
  static driver_watch x;
  return x;
}

bool driver_watch::start() {
  constexpr auto cupti = "libcupti.so.13";
  auto subscribe = found_in<cupti_subscribe*>(cupti, "cuptiSubscribe");
  auto enable_domain = found_in<cupti_enable_domain*>(cupti, "cuptiEnableDomain");
  auto enable = found_in<cupti_enable_callback*>(cupti, "cuptiEnableCallback");
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
  static auto allocate = found_in<driver_allocate*>("libcuda.so.1", "cuMemAlloc_v2");
  CUdeviceptr at = 0;
  return bytes > 0 && allocate && allocate(&at, bytes) == CUDA_SUCCESS ? reinterpret_cast<void*>(at) : nullptr;
}

void driver_watch::free_later(void* at) {
  std::lock_guard lock{mutex_};
  if (at) freed_.push_back(at);
}

void driver_watch::give_back() {
  static auto give = found_in<driver_free*>("libcuda.so.1", "cuMemFree_v2");
  std::vector<void*> all;
  with([&](recording&) { all.swap(freed_); });
  for (auto x : all) give(reinterpret_cast<CUdeviceptr>(x));
}

}  // namespace devices::worker::recorder
