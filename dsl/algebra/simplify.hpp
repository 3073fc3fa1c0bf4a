#pragma once
// Legal algebra on an op graph: what holds on any input and any weights within the rounding of the graph's types.

#include <string>
#include <vector>

#include "messages/records/failure.hpp"
#include "messages/records/op_graph.hpp"

namespace dsl::algebra {

struct simplified {
  messages::op_graph graph;        ///< floor_bytes and flops are its own
  std::vector<std::string> rules;  ///< names of those that fired, each once, in plain words; empty: nothing changed
};

/// Applies the rules of rules.hpp until none fires. The same values go in; outputs stay the same in number, order,
/// shape, dtype and strides, and so do the effects: written buffers and random operators. Weights are inputs: what is
/// computed of them alone is nodes too. The same graph gives the same result, byte for byte.
/// @param graph anything; one that does not pass check(op_graph) is an error of that check
messages::expected<simplified> simplify(const messages::op_graph& graph);

}  // namespace dsl::algebra
