#pragma once
// A candidate with a c_abi entry as one Python file that builds and calls it.

#include <string>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// Fills export.py.mustache. Refused (`bad_input`): another entry than c_abi, a source that is missing, an argument
/// that is a constant.
messages::expected<std::string> export_file(const language_files& files, const export_order& order);

}  // namespace dsl::cpp
