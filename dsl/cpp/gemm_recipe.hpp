#pragma once
// GEMM: products of matrices, one or a batch of them.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// @param files of the recipe's folder; copied
std::unique_ptr<recipe> make_gemm(const recipe_files& files);

}  // namespace dsl::cpp
