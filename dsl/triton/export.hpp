#pragma once
// One self-contained Python file with a ModelNew that launches a candidate's kernels in Triton's ordinary way.

#include <string>

#include "dsl/recipe.hpp"

namespace dsl::triton {

messages::expected<std::string> export_file(const language_files& files, const export_order& order);

}  // namespace dsl::triton
