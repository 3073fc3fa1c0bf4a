#pragma once
// Pointwise operators of an op graph as one expression. What each operator of an expression means, also for NaN,
// infinities and zeros, is in FORMS.md; `evaluate` is that meaning as code.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/op_graph.hpp"
#include "messages/records/expression.hpp"
#include "messages/records/failure.hpp"

namespace dsl {

// -- operators of an expression ---------------------------------------------------------------------------------------

/// A node's result is a number of the type it is computed in, or a truth. Operands and literals are numbers; truths
/// come from comparisons and go into `where` and the logical operators.
enum class kind : std::uint8_t { number, truth };

/// Append only. Records hold the names.
// clang-format off
enum class operation : std::uint8_t {
  add, sub, mul, div, neg, abs, min, max, pow, sqrt, exp, expm1, log, log1p, tanh, erf, sin, cos, floor, ceil, round,
  trunc, gt, lt, ge, le, eq, ne, logical_not, logical_and, logical_or, where, number_of, to_float16, to_bfloat16,
  to_float32
};
// clang-format on
constexpr auto enum_names(operation) {
  return std::to_array<std::string_view>(
      {"add",       "sub",        "mul",         "div",       "neg",         "abs",         "min",        "max",
       "pow",       "sqrt",       "exp",         "expm1",     "log",         "log1p",       "tanh",       "erf",
       "sin",       "cos",        "floor",       "ceil",      "round",       "trunc",       "gt",         "lt",
       "ge",        "le",         "eq",          "ne",        "logical_not", "logical_and", "logical_or", "where",
       "number_of", "to_float16", "to_bfloat16", "to_float32"});
}

struct signature {
  std::vector<kind> arguments;
  kind result = kind::number;
};
const signature& signature_of(operation x);

/// Of a node of a checked expression that is an operator.
operation operation_of(const messages::expression_node& node);

/// What each node of a checked expression is.
std::vector<kind> kinds_of(const messages::expression& x);

/// Version 1; each node is exactly one of operator, operand and number; arguments are earlier nodes of the right number
/// and kind; operands are below `operands`; results are numbers.
messages::expected<void> check(const messages::expression& x, std::size_t operands);

// -- from a graph -----------------------------------------------------------------------------------------------------

/// A tensor that is read, once for each element of the result.
struct operand {
  std::string value;  ///< name of a graph value, or of a node outside of the set
  messages::tensor_spec spec;
  std::vector<std::int64_t> strides;  ///< one for each dimension of the result's shape, 0 where it is repeated
};

/// A tensor that is written; node i of `results` is `expression.results[i]`.
struct result {
  std::string node;
  messages::tensor_spec spec;
};

/// What one kernel computes for each element of `shape`. Operands of every type are read as numbers of the type
/// `compute` (bool: 1 or 0); results are converted to their type where they are written (bool: they are 1 or 0).
struct pointwise {
  messages::expression expression;
  std::vector<operand> operands;  ///< each tensor once, in the order of first use; none may be left
  std::vector<result> results;    ///< nodes of the set that are used outside of it or returned, in the graph's order
  dsl::shape shape;               ///< of all results
  messages::dtype compute = messages::dtype::float32;  ///< float64 where any tensor is, else float32
};

/// @param nodes of the index's graph, which was checked; in any order. Refused (`bad_input`, with the node's name): a
/// node that is not pointwise or has an argument that the table in lowering_table.cpp does not know, arithmetic in
/// integers, results of different shapes, an operand that itself depends on a node of the set.
messages::expected<pointwise> make_expression(const graph_index& index, std::span<const std::string> nodes);

/// Whether make_expression takes the node alone.
bool is_pointwise(const graph_index& index, const messages::graph_node& node);

// -- meaning ----------------------------------------------------------------------------------------------------------

/// One element in double: the value of each operand in, the value of each result out. Of a checked expression.
std::vector<double> evaluate(const messages::expression& x, std::span<const double> operands);

/// All elements, row by row of the result's shape. `memory[i]` is that of operand i, indexed by its strides.
std::vector<std::vector<double>> evaluate(const pointwise& x, std::span<const std::vector<double>> memory);

}  // namespace dsl
