#pragma once
// What a manifest must hold beyond its form. For manifest.cpp; a problem is "key: what is wrong".

#include <optional>
#include <string>

#include "dsl/manifest.hpp"

namespace dsl {

std::optional<std::string> problem_of(const language_manifest& x);
std::optional<std::string> problem_of(const recipe_manifest& x);

/// Whether the knob may have the value: of its kind and among its values.
bool lists(const knob_manifest& knob, const messages::knob_value& value);

/// "256", or "\"on\"" for a word.
std::string to_text(const messages::knob_value& value);

/// "64, 128, 256".
std::string values_of(const knob_manifest& knob);

}  // namespace dsl
