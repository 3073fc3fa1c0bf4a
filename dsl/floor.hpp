#pragma once
// The least that any program for a graph moves and computes: what FORMS.md calls its figures.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/op_graph.hpp"

namespace dsl {

/// Whether an operator only looks at its first tensor's memory in another way: view, permute, slice, expand and others.
bool is_view(const messages::graph_node& node);

struct graph_floor {
  std::map<std::string, std::uint64_t, std::less<>> read;  ///< value -> bytes of it that are read at least
  std::uint64_t bytes = 0;                                 ///< all of these, and what is written
  std::uint64_t flops = 0;                                 ///< the sum of the nodes'
};

/// Values are read once and as far as slices, lookups and repeated dimensions let them be; outputs and written buffers
/// are written once; results that are only views of values cost nothing. Of a checked graph.
graph_floor floor_of(const graph_index& graph);

/// Bytes that are read at least of each tensor among the task's inputs, in their order.
std::vector<std::uint64_t> input_bytes(const graph_index& graph);

using spec_of = std::function<const messages::tensor_spec&(std::string_view tensor)>;

/// FLOPs of a node: a multiply-add of a product or convolution is 2, a view costs nothing, anything else the elements
/// of the largest tensor that it touches.
std::uint64_t count_flops(const messages::graph_node& node, const spec_of& spec);

}  // namespace dsl
