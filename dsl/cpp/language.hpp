#pragma once
// The DSL cpp: C++ for CPUs, a library with a C function.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// A dsl::make_language.
messages::expected<std::shared_ptr<const language>> make_language(language_files files);

/// For language_makers: the folder's name with make_language.
language_makers::value_type maker();

}  // namespace dsl::cpp
