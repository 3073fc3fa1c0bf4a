#pragma once
// SCAN: running sums, products, maxima, minima and log-sum-exps along one dimension.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// @param files of the recipe's folder; copied
std::unique_ptr<recipe> make_scan(const recipe_files& files);

}  // namespace dsl::cpp
