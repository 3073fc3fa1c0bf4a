#pragma once
// Pieces of Python text: literals and names, for what calls libraries and for exports.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages/records/tensor.hpp"

namespace dsl {

/// A string literal of any text: raw and readable where that is possible.
std::string python_text(std::string_view x);

/// "(4, 8)", "(4,)", "()".
std::string python_tuple(const std::vector<std::int64_t>& xs);

/// Shortest literal that reads back as x: "1.0", "float(\"inf\")".
std::string python_number(double x);

/// "torch.float32".
std::string python_dtype(messages::dtype x);

/// A local variable for a name of the graph, which is an identifier: the name itself, or with an underscore where
/// Python or the model's template has it for itself. Different names stay different.
std::string python_name(std::string_view name);

/// A module's text without its docstring and imports, as it can stand inside of another.
std::string python_module_body(std::string_view module);

/// All of them with commas between.
std::string python_names(const std::vector<std::string>& names);

}  // namespace dsl
