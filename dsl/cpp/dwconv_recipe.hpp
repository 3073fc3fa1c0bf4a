#pragma once
// DWCONV: depthwise convolutions in one to three dimensions.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// @param files of the recipe's folder; copied
std::unique_ptr<recipe> make_dwconv(const recipe_files& files);

}  // namespace dsl::cpp
