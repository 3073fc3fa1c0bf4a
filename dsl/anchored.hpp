#pragma once
// Groups around an anchor: one operator that is no pointwise one (a pool, a scan, a convolution, a product), with views
// and pointwise operators before it (the prologue of each tensor that it reads) and behind it (the epilogue of its
// result). What the anchor does with its numbers is the recipe's business.

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dsl/expression.hpp"
#include "dsl/view.hpp"

namespace dsl {

/// What a recipe takes care of by itself.
struct core {
  std::set<std::string> nodes;      ///< the anchor, and nodes around it that the recipe computes along with it
  std::vector<std::string> inputs;  ///< tensors that it reads through a prologue
  std::string result;               ///< the node of `nodes` whose elements the epilogue reads
};

/// A tensor as it is seen from the anchor's index space.
struct seen_tensor {
  std::string name;  ///< a graph value, a node outside of the group, or of results the node
  messages::tensor_spec spec;
  view place;  ///< of the space's shape
};

/// What the anchor reads at each index of one of its inputs.
struct prologue {
  messages::expression expression;  ///< one result
  std::vector<seen_tensor> operands;
  dsl::shape shape;
};

/// What is written for each element of the anchor's result. Operand 0 of the expression is that element, operand i + 1
/// is operands[i]. Node i of `results` is `expression.results[i]`; no two elements go to the same place.
struct epilogue {
  messages::expression expression;
  std::vector<seen_tensor> operands;
  std::vector<seen_tensor> results;
  dsl::shape shape;
};

struct anchored {
  std::vector<prologue> inputs;  ///< as in core::inputs
  epilogue output;
  messages::dtype compute = messages::dtype::float32;  ///< float64 where any tensor is, else float32
};

/// @param nodes of the index's graph, which was checked; in any order. Refused (`bad_input`, with the node's name): a
/// node that is neither the core's nor pointwise nor a view, one that has no part in a result, a node before or in the
/// core that is needed outside of the group, elements of the core's result that a result repeats or leaves out, an
/// operand that itself depends on a node of the group.
messages::expected<anchored> surround(const graph_index& index, std::span<const std::string> nodes, const core& with);

/// Whether the expression computes nothing: its only node is an operand, so that even wide integers stay what they are.
bool hands_on(const messages::expression& x);

/// The only node of the set whose operator is one of `operators`; null where there is none or several.
const messages::graph_node* only_anchor(const graph_index& index, std::span<const std::string> nodes,
                                        std::span<const std::string_view> operators);

}  // namespace dsl
