#pragma once
// One ATen operator of the graph as a Python expression.

#include <string>

#include "dsl/op_graph.hpp"

namespace dsl::cpp {

struct python_call {
  std::string function;                ///< "aten.convolution.default"
  std::vector<std::string> arguments;  ///< "x", "weight=p_weight", "stride=[1, 1]"

  std::string text() const;  ///< "aten.convolution.default(x, weight=p_weight, stride=[1, 1])"
};

/// With the graph's names as variables. Fails (`bad_input`) where no call can be written: no ATen operator, one that
/// draws random numbers, a text that is none of the schema's.
messages::expected<python_call> operator_call(const messages::graph_node& node);

}  // namespace dsl::cpp
