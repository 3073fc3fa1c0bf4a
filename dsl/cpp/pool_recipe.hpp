#pragma once
// POOL: maxima and averages over windows in one to three dimensions.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// @param files of the recipe's folder; copied
std::unique_ptr<recipe> make_pool(const recipe_files& files);

}  // namespace dsl::cpp
