#pragma once
// LIBRARY: operators that torch computes, as lines of the Python file that calls them.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// @param files of the recipe's folder; copied
std::unique_ptr<recipe> make_library(const recipe_files& files);

}  // namespace dsl::cpp
