#pragma once
// The DSL triton: Triton kernels for GPUs, launched by a launch record.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::triton {

/// A dsl::make_language.
messages::expected<std::shared_ptr<const language>> make_language(language_files files);

/// For language_makers: the folder's name with make_language.
language_makers::value_type maker();

}  // namespace dsl::triton
