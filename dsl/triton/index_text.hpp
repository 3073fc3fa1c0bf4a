#pragma once
// Types and places of elements as Triton says them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages/records/tensor.hpp"

namespace dsl::triton {

/// Of an element in registers or memory, "tl.float32"; a bool is a tl.uint8.
std::string type_of(messages::dtype x);

/// Of a pointer in a signature, "*fp32".
std::string pointer_of(messages::dtype x);

/// How far a tensor's element lies from its first one, where `flat` counts the points of `sizes`, the last dimension
/// fastest. "0" where it does not move. `flat` is a name.
std::string place_text(const std::string& flat, const std::vector<std::int64_t>& sizes,
                       const std::vector<std::int64_t>& steps);

/// The largest value of that text, for choosing the type of indices. Steps may be negative.
std::int64_t reach_of(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& steps);

/// The least power of two that is not less than x, for x >= 1.
std::int64_t power_of_two(std::int64_t x);

}  // namespace dsl::triton
