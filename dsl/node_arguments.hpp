#pragma once
// Reading the plain arguments of a graph node. Each gives nothing where the argument is there but of another type.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dsl/op_graph.hpp"

namespace dsl {

/// @param otherwise what an argument that is absent or none means
std::optional<std::int64_t> integer_argument(const messages::graph_node& node, std::string_view name,
                                             std::int64_t otherwise);
std::optional<bool> flag_argument(const messages::graph_node& node, std::string_view name, bool otherwise);
std::optional<double> number_argument(const messages::graph_node& node, std::string_view name, double otherwise);

/// A single integer counts as a list of one; absent, none or empty gives `otherwise`.
std::optional<std::vector<std::int64_t>> integers_argument(const messages::graph_node& node, std::string_view name,
                                                           std::vector<std::int64_t> otherwise);

/// Whether it is there and not none.
bool has_argument(const messages::graph_node& node, std::string_view name);

/// An index of a dimension, counted from the end where it is negative; nothing where there is no such dimension.
std::optional<std::size_t> dimension(std::int64_t index, std::size_t rank);

}  // namespace dsl
