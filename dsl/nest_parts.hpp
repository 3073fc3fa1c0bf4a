#pragma once
// From what make_nest found to a reduction_nest: which folds are in which stage, what is computed once a kept point,
// how the dimensions lie.

#include "dsl/nest_call.hpp"

namespace dsl {

/// A node that is used outside of the group, or a value that is written in place.
struct nest_target {
  std::string name;
  messages::tensor_spec spec;
  nest_value value;
};

/// @param dims of every tensor that the group reads, computes or writes. Takes the scope's expressions apart.
messages::expected<reduction_nest> assemble_nest(const nest_scope& scope, const std::vector<nest_target>& targets,
                                                 const std::vector<std::vector<axes>>& dims);

}  // namespace dsl
