#pragma once
// MAP: element-wise chains with broadcasting as one loop.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// @param files of the recipe's folder; copied
std::unique_ptr<recipe> make_map(const recipe_files& files);

}  // namespace dsl::cpp
