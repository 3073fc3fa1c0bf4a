#pragma once
// Pieces of C++ text that recipes and the program template share.

#include <string>
#include <string_view>
#include <vector>

#include "dsl/c_printer.hpp"
#include "dsl/text.hpp"
#include "messages/records/tensor.hpp"

namespace dsl::cpp {

/// "kernelmesh_float32".
std::string dtype_of(messages::dtype x);

/// "{4, 8}"; "{0}" for none, since an array must hold something.
std::string list_of(const std::vector<std::int64_t>& xs);

}  // namespace dsl::cpp
