#pragma once
// Pieces of text that sources in any language have, mostly in comments.

#include <span>
#include <string>
#include <string_view>

#include "dsl/op_graph.hpp"

namespace dsl {

/// "[16, 64]".
std::string shape_of(const messages::tensor_spec& x);

/// Text from outside for a comment: what is no letter, digit, dot or underscore becomes an underscore.
std::string harmless(std::string_view x);

/// "aten.mul, aten.gelu": the operators of these nodes.
std::string operators_of(const graph_index& graph, std::span<const std::string> nodes);

}  // namespace dsl
