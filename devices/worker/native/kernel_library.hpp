#pragma once
// A candidate's library and its function. From `load` on, code that nobody trusts runs in this process.

#include <vector>

#include "devices/worker/kernelmesh_abi.h"
#include "devices/worker/native/order.hpp"

namespace devices::worker::native {

struct kernel_arguments {
  std::vector<kernelmesh_tensor> inputs;  ///< weights among them
  std::vector<kernelmesh_tensor> outputs;
  std::int32_t threads = 1;
};

class kernel_library {
public:
  /// Runs the library's constructors. It is never unloaded.
  static expected<kernel_library> load(const std::string& path, const std::string& function);

  /// Fails if the function returns another number than 0, or throws.
  expected<void> call(const kernel_arguments& x) const;

private:
  using function = decltype(&kernelmesh_run);
  explicit kernel_library(function x) : function_(x) {}

  function function_;
};

}  // namespace devices::worker::native
