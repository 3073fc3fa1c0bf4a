#include "devices/worker/cuda_native/cuda_driver.hpp"

#include <dlfcn.h>

namespace devices::worker::cuda {

expected<driver> driver::load() {
  auto library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return tl::unexpected{std::string{"there is no CUDA driver: "} + dlerror()};
  driver x;
  std::string missing;
  x.each([&](const char* name, auto& to) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, name));
    if (!to && missing.empty()) missing = name;
  });
  if (!missing.empty()) return tl::unexpected{"the CUDA driver is too old: it has no " + missing};
  return x;
}

expected<void> driver::checked(result x, const std::string& what) const {
  if (x == 0) return {};
  const char *name = nullptr, *words = nullptr;
  cuGetErrorName(x, &name);
  cuGetErrorString(x, &words);
  auto number = std::to_string(x);
  return tl::unexpected{what + ": " + (words ? words : "unknown error") + " (" + (name ? name : number.c_str()) + ')'};
}

}  // namespace devices::worker::cuda
