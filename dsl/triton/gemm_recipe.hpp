#pragma once
// GEMM: products of matrices with element-wise work on what they read and write, in the precision of float32 on any of
// several ways over tensor cores.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::triton {

std::unique_ptr<recipe> make_gemm(const recipe_files& files);

}  // namespace dsl::triton
