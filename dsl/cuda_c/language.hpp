#pragma once
// The DSL cuda_c: CUDA C++ for NVIDIA's GPUs, kernels and the record of their launches.

#include <memory>

#include "dsl/recipe.hpp"

namespace dsl::cuda_c {

/// A dsl::make_language.
messages::expected<std::shared_ptr<const language>> make_language(language_files files);

/// For language_makers: the folder's name with make_language.
language_makers::value_type maker();

}  // namespace dsl::cuda_c
