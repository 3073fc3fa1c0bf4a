#include "devices/worker/native/kernel_library.hpp"

#include <dlfcn.h>
#include <exception>

namespace devices::worker::native {

namespace {

std::string loader_error() {
  auto text = dlerror();
  return text ? text : "the loader does not say why";
}

}  // namespace

expected<kernel_library> kernel_library::load(const std::string& path, const std::string& name) {
  auto library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return failed(loader_error());
  auto symbol = dlsym(library, name.c_str());
  if (!symbol) return failed(loader_error());
  return kernel_library{reinterpret_cast<function>(symbol)};
}

expected<void> kernel_library::call(const kernel_arguments& x) const try {
  auto code = function_(x.inputs.data(), static_cast<std::int32_t>(x.inputs.size()), x.outputs.data(),
                        static_cast<std::int32_t>(x.outputs.size()), x.threads, nullptr);
  if (code != 0) return failed("the function returned " + std::to_string(code));
  return {};
} catch (const std::exception& error) {
  return failed(std::string{"the function threw: "} + error.what());
} catch (...) {
  return failed("the function threw something that is no std::exception");
}

}  // namespace devices::worker::native
