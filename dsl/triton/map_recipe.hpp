#pragma once
// MAP: element-wise chains with broadcasting.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::triton {

std::unique_ptr<recipe> make_map(const recipe_files& files);

}  // namespace dsl::triton
