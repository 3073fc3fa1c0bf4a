#pragma once
// What must be known of a binary for a device (ELF, machine "CUDA") before it is loaded. The file is whoever's: nothing
// is read outside of it, and memory and time are bounded by its size.

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "devices/worker/native/order.hpp"

namespace devices::worker::cuda {

using native::expected, native::failed;

/// Memory of a module that lives as long as it is loaded.
struct module_variable {
  std::string_view name;
  std::uint64_t bytes = 0;
};

class cubin {
public:
  /// Views into `content`, which must outlive it. Refused: what is no such ELF; more than `most` kernels or variables;
  /// variables without a name, since their content could not be restored between calls; calls of what the device keeps
  /// a state for (malloc) or starts work with.
  static expected<cubin> read(wire::bytes_view content);

  static constexpr std::size_t most = 4096, most_parameters = 1024, longest_name = 4096;

  /// Bytes of each parameter in their order, as .nv.info has them.
  expected<std::vector<std::uint32_t>> parameters(std::string_view kernel) const;

  const std::vector<module_variable>& variables() const { return variables_; }

private:
  friend class cubin_reader;
  std::map<std::string_view, wire::bytes_view> kernels_;  ///< with their .nv.info
  std::vector<module_variable> variables_;
};

}  // namespace devices::worker::cuda
