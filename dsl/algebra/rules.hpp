#pragma once
// The rules: each a name in plain words and a function of a few lines. To add one: write it beside its like, enter it
// in that file's table, add its tests (tests/dsl/algebra).
//
// Legal is what holds on any input and any weights, up to the rounding of the types and the sign of a zero that is a
// sum: never what only the values hold that happen to be there. Where an operand is infinite or NaN either side may be
// NaN where the other is infinite or NaN; a NaN never becomes a number by itself, nor an ordinary result a NaN.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/algebra/rewriting.hpp"

namespace dsl::algebra {

struct rule {
  std::string_view name;  ///< "average pools in a row"; stored in journals and shown: it stays what it is
  /// What takes the place of the node's result: a tensor of the graph that comes before it, or one that was built.
  /// Nothing where the rule does not fit. The caller sees to it that dtype, shape and strides are the same.
  std::optional<std::string> (*apply)(const site& at, builder& make);
};

std::span<const rule> arithmetic_rules();   ///< identities, scales, shifts, clamps
std::span<const rule> view_rules();         ///< reshapes, transposes, copies, equal nodes
std::span<const rule> reduction_rules();    ///< sums, means, pools in a row; dimensions of size 1
std::span<const rule> product_rules();      ///< products with diagonals and columns, sums over them
std::span<const rule> convolution_rules();  ///< pools and means after convolutions, biases before norms

/// All of them, in the order in which they are tried on a node.
const std::vector<rule>& all_rules();

}  // namespace dsl::algebra
