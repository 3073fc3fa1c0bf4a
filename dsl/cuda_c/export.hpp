#pragma once
// A candidate as one Python file that builds its kernels and launches them.

#include <string>

#include "dsl/recipe.hpp"

namespace dsl::cuda_c {

/// Fills export.py.mustache. Refused (`bad_input`): an entry that is no launch record, a source that is missing, an
/// argument that is a constant.
messages::expected<std::string> export_file(const language_files& files, const export_order& order);

}  // namespace dsl::cuda_c
