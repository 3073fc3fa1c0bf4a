#pragma once
// A candidate as one Python file that builds its library and calls it.

#include <string>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// Fills export.py.mustache. Refused (`bad_input`): an entry that is neither c_abi nor a model.py that was written
/// here, a source that is missing, an argument that is a constant.
messages::expected<std::string> export_file(const language_files& files, const export_order& order);

}  // namespace dsl::cpp
