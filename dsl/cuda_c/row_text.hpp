#pragma once
// A row layout as what its template is filled with.

#include "dsl/cuda_c/row_layout.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cuda_c {

/// All keys of the template but summary.
template_data row_data(const row_layout& layout, const std::string& name);

}  // namespace dsl::cuda_c
