#pragma once
// The numbers and threads of a row layout, as a kernel's template reads them.

#include <string>

#include "dsl/cuda_c/row_layout.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cuda_c {

inline std::string text_of(std::int64_t x) { return std::to_string(x); }

/// All keys that do not depend on the kernel of a group.
void add_numbers(template_data& data, const row_layout& layout);

}  // namespace dsl::cuda_c
