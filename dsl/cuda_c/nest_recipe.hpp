#pragma once
// ROWRED, ROWNORM: reductions along the innermost dimensions, with pointwise work before and behind.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cuda_c {

/// Rows to one result each; no result has the reduced dimensions.
std::unique_ptr<recipe> make_rowred(const recipe_files& files);

/// Rows that are read again for a result of their own size.
std::unique_ptr<recipe> make_rownorm(const recipe_files& files);

}  // namespace dsl::cuda_c
