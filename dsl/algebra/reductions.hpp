#pragma once
// Sums and means over dimensions, as rules read and write them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/algebra/rewriting.hpp"

namespace dsl::algebra {

struct reduction {
  bool mean = false;  ///< else a sum
  std::string of;
  std::vector<std::int64_t> dims;  ///< from 0 on, ascending; at least one
  bool keep = false;               ///< reduced dimensions stay, with size 1
};

/// Of float32 or float64 without a change of type, with elements to reduce; nothing for other nodes.
std::optional<reduction> reduction_of(const graph_index& graph, const messages::graph_node& node);

/// The shape that it gives.
shape reduced_shape(const shape& from, const reduction& x);

/// With `output`'s layout if given: it must be of that shape.
std::string add_reduction(builder& make, const reduction& x, const messages::tensor_spec* output = nullptr);

/// A node that reduces dimensions of its "self", with any monoid: sum, mean, logsumexp, amax, the values of max; its
/// dimensions ascending. Empty for others.
std::vector<std::int64_t> dims_reduced(const graph_index& graph, const messages::graph_node& node);

}  // namespace dsl::algebra
