#pragma once
// MAP: element-wise chains with broadcasting, each thread some vectors of neighbouring elements.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cuda_c {

/// @param files of the recipe's folder; copied
std::unique_ptr<recipe> make_map(const recipe_files& files);

}  // namespace dsl::cuda_c
