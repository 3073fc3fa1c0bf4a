#pragma once
// Views: tensors that are another tensor's memory with an offset, other sizes and other strides, which here may also be
// negative (flip) or 0 (expand). All count elements.

#include <cstdint>
#include <optional>
#include <vector>

#include "dsl/op_graph.hpp"

namespace dsl {

/// Element i of the view lies at offset + sum of i[d] * strides[d].
struct view {
  std::int64_t offset = 0;
  dsl::shape shape;
  std::vector<std::int64_t> strides;
};

/// All of a tensor.
view whole(const messages::tensor_spec& spec);

/// Whether two elements may lie at one place, as those of an expanded tensor do.
bool overlaps(const messages::tensor_spec& spec);

/// All of a tensor of that shape without gaps.
view dense(const shape& size);

/// The same elements in the same order; nothing where no strides say that.
std::optional<view> reshape(const view& x, const shape& to);

/// Repeated to a shape that x.shape broadcasts to; nothing where it does not.
std::optional<view> broadcast(const view& x, const shape& to);

/// Whether both put each element of their common shape at the same place.
bool same_places(const view& a, const view& b);

// -- view operators ---------------------------------------------------------------------------------------------------

/// Whether the node's operator only looks at its argument in another way; flip counts, though torch copies for it.
bool only_looks(const messages::graph_node& node);

/// The name of the tensor that it looks at; null where the node has none.
const std::string* viewed(const messages::graph_node& node);

/// The node's result over x, which has the shape of what it looks at. Nothing where no strides say that, or where an
/// argument is not understood.
std::optional<view> look(const messages::graph_node& node, const view& x);

/// The other way round: x has the shape of the node's result, and comes out with the shape of what it looks at. Nothing
/// where elements are left out or repeated.
std::optional<view> look_back(const messages::graph_node& node, const shape& before, const view& x);

}  // namespace dsl
