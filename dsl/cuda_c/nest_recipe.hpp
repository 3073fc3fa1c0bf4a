#pragma once
// ROWRED, ROWNORM, COLRED: reductions, with pointwise work before and behind.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cuda_c {

/// Rows to one result each; no result has the reduced dimensions.
std::unique_ptr<recipe> make_rowred(const recipe_files& files);

/// Rows that are read again for a result of their own size.
std::unique_ptr<recipe> make_rownorm(const recipe_files& files);

/// Kept elements lie side by side. Also what reduces nothing and is no map: views, copies into buffers, per-channel
/// work.
std::unique_ptr<recipe> make_colred(const recipe_files& files);

}  // namespace dsl::cuda_c
