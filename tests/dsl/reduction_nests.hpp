#pragma once
// Small graphs with reductions for tests.

#include "tests/dsl/op_graphs.hpp"

namespace dsl::testing {

inline messages::graph_argument integers(std::string name, std::vector<std::int64_t> xs) {
  return {std::move(name), messages::integers_argument{std::move(xs)}};
}
inline messages::graph_argument integer(std::string name, std::int64_t x) {
  return {std::move(name), messages::integer_argument{x}};
}
inline messages::graph_argument flag(std::string name, bool on) {
  return {std::move(name), messages::flag_argument{on}};
}

/// y = softmax(x * scale + 1) along the last dimension.
inline messages::op_graph scaled_softmax() {
  auto graph = chain();
  graph.task = "scaled_softmax";
  graph.nodes.pop_back();
  graph.nodes.push_back(node("softmax", "_softmax",
                             {tensor("self", "add"), integer("dim", -1), flag("half_to_float", false)}, {2, 3, 4}));
  graph.outputs = {"softmax"};
  return graph;
}

/// The mean over the rows of their largest elements, the rows themselves along the first dimension.
inline messages::op_graph mean_of_maxima() {
  return {.task = "mean_of_maxima",
          .values = {input("x", {5, 7})},
          .nodes = {node("top", "amax", {tensor("self", "x"), integers("dim", {0})}, {7}),
                    node("mean", "mean", {tensor("self", "top")}, {})},
          .outputs = {"mean"}};
}

inline std::vector<std::string> all_nodes(const messages::op_graph& graph) {
  std::vector<std::string> names;
  for (const auto& x : graph.nodes) names.push_back(x.name);
  return names;
}

}  // namespace dsl::testing
