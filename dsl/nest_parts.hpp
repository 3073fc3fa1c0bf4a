#pragma once
// From what make_nest found to a reduction_nest: which folds are in which stage, what is computed once a kept point,
// how the dimensions lie.

#include <array>
#include <set>

#include "dsl/nest_call.hpp"

namespace dsl {

/// A node that is used outside of the group, or a value that is written in place.
struct nest_target {
  std::string name;
  messages::tensor_spec spec;
  nest_value value;
};

/// Until all operands are known, an expression names leaf i as operand i and slot s as operand slot_mark + s.
constexpr std::uint32_t slot_mark = 1u << 30;

/// What a nest's dimensions are made of.
struct nest_axes {
  axes order;  ///< as they appear
  std::set<axis> kept;
  std::array<std::vector<const nest_target*>, 3> targets;  ///< of each_kept, each_element, once
};

/// Orders and joins dimensions, fills operands and targets, and gives the expressions their final operands.
void lay_out_nest(reduction_nest& nest, const nest_scope& scope, nest_axes x);

/// @param dims of every tensor that the group reads, computes or writes. Takes the scope's expressions apart.
messages::expected<reduction_nest> assemble_nest(const nest_scope& scope, const std::vector<nest_target>& targets,
                                                 const std::vector<std::vector<axes>>& dims);

}  // namespace dsl
