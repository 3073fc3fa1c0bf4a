#pragma once
// The lent buffers in this process, and the tensors in them.

#include <cstddef>
#include <span>
#include <vector>

#include "devices/worker/kernelmesh_abi.h"
#include "devices/worker/native/order.hpp"

namespace devices::worker::native {

/// A mapping of a lent buffer, for as long as the process lives.
using lent_memory = std::span<std::byte>;

/// Maps the buffers whose descriptors follow each other from `first` on, with all their pages, and closes those.
expected<std::vector<lent_memory>> map_lent(int first, const std::vector<std::uint64_t>& sizes);

/// What the function is given. `tensors` come from a checked order and must outlive the result, which points to them.
std::vector<kernelmesh_tensor> views(const std::vector<lent_tensor>& tensors, const std::vector<lent_memory>& lent);

}  // namespace devices::worker::native
