#pragma once
// A program whose groups are not all kernels: model.py calls torch's operators and, between them, our library's
// functions, one for each run of kernels.

#include <span>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// @param groups in the order they run, at least one of them a library's. Refused (`bad_input`): none is a kernel, a
/// constant tensor that is no number.
messages::expected<program> hosted_program(const language_files& files, const graph_index& graph,
                                           std::span<const group_text> groups);

/// What of model.py stands in an export too; `bad_input` where it is no such file.
messages::expected<std::string> model_text(const std::string& file);

}  // namespace dsl::cpp
