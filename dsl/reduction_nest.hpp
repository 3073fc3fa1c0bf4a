#pragma once
// A group of nodes as reductions in stages over one iteration space: what the kernels ROWRED, ROWNORM and COLRED of
// every DSL compute. Nothing here knows a language; how the loops run is the recipe's matter.
//
// The space has kept and reduced dimensions. At each point of the kept ones the stages run in order: each reduces
// expressions over the reduced dimensions, then computes derived values. Results are written for each point of the kept
// space (a sum, a maximum), of the whole space (a norm, a softmax), or once after a last stage that reduces over the
// kept dimensions too (the mean of the rows' losses). A nest may have no stage: copies, views, maps with odd
// broadcasts.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/expression.hpp"
#include "dsl/op_graph.hpp"

namespace dsl {

/// Append only. Of no elements: 0, 1, -inf, inf; argmax, argmin and moments have none.
/// - max, min: NaN wins.
/// - argmax, argmin: the extreme and where it is; NaN wins, of equals the first.
/// - moments: the mean, and the sum of squared differences from it.
enum class monoid : std::uint8_t { sum, prod, max, min, argmax, argmin, moments };

/// How many slots it fills.
constexpr std::uint32_t slots_of(monoid x) {
  return x == monoid::argmax || x == monoid::argmin || x == monoid::moments ? 2 : 1;
}

/// A tensor that is read or written, or (without a name) a position: the number that the steps add up to.
struct nest_tensor {
  std::string name;  ///< of a graph value or node
  messages::tensor_spec spec;
  std::vector<std::int64_t> steps;        ///< along the nest's dimensions, 0 where it is repeated
  std::vector<std::int64_t> dense_steps;  ///< the same of a copy in row-major order without gaps

  bool is_position() const { return name.empty(); }
};

/// Operand i of an expression is operands[i]; those behind are slots: operands.size() + s is slot s.
struct nest_reduction {
  monoid kind = monoid::sum;
  std::uint32_t body = 0;                 ///< place in the results of the stage's `bodies`
  std::optional<std::uint32_t> position;  ///< of argmax and argmin: the operand that says where
  std::uint32_t slot = 0;                 ///< the first one that it fills
};

struct nest_stage {
  messages::expression bodies;  ///< read tensors, positions and slots of earlier stages
  std::vector<nest_reduction> reductions;
  messages::expression derived;     ///< on the kept space, from slots so far; none where it has no results
  std::uint32_t first_derived = 0;  ///< slot of its first result
};

struct nest_results {
  messages::expression values;
  std::vector<nest_tensor> targets;  ///< one a result; one that names a graph value writes that value in place
};

struct reduction_nest {
  shape sizes;           ///< kept dimensions, then reduced ones; in each the innermost last
  std::size_t kept = 0;  ///< how many of them are kept
  std::vector<nest_tensor> operands;
  std::uint32_t slots = 0;
  std::vector<nest_stage> stages;
  nest_results each_kept;
  nest_results each_element;
  std::optional<nest_stage> last;  ///< reduces over the kept dimensions; bodies are on the kept space
  nest_results once;               ///< from slots of `last`
  /// float64 where any tensor is; int64 where all tensors are integers or bool; else float32.
  messages::dtype compute = messages::dtype::float32;

  std::int64_t kept_count() const;
  std::int64_t reduced_count() const;
};

/// @param nodes of the index's graph, which was checked; in any order. Refused (`bad_input`, with the node's name): a
/// node that no table knows, reductions over different dimensions of one space, a tensor that is used along two orders
/// of its dimensions, results on a part of the space, an operand that itself depends on a node of the set, a maximum of
/// nothing.
messages::expected<reduction_nest> make_nest(const graph_index& index, std::span<const std::string> nodes);

/// The meaning, in double. `memory[i]` is that of operand i, indexed by its strides (nothing for a position). For each
/// target of each_kept, each_element and once, in this order, its memory by its strides; gaps are 0.
std::vector<std::vector<double>> evaluate(const reduction_nest& x, std::span<const std::vector<double>> memory);

}  // namespace dsl
