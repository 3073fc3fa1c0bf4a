#pragma once
// What the self-contained Python files of all languages are filled with; the templates in dsl/exports, which their own
// share as partials, read these keys.

#include <string>
#include <string_view>
#include <vector>

#include "dsl/mustache.hpp"
#include "dsl/recipe.hpp"

namespace dsl {

/// Keys task, class, extension, flags, sources; where the order has a reference, also reference, code, overrides; and
/// the language's partials. Refused (`bad_input`): a source that is missing.
/// @param left_out path of a source that stands in the file itself, or none
messages::expected<template_data> export_data(const language_files& files, const export_order& order,
                                              std::string_view left_out = {});

/// Key variants, for exports/arguments.py.mustache, which also reads device_type and strided. Refused (`bad_input`): an
/// argument that is a constant.
messages::expected<void> add_variants(template_data& data, const std::vector<messages::shape_variant>& variants);

/// The class that calls the kernels: `ModelNew` itself, where nothing stands in front of it.
constexpr std::string_view written_class = "class ModelNew(nn.Module):", inner_class = "class Kernels(nn.Module):";

}  // namespace dsl
