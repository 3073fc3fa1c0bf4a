#pragma once
// Small op graphs for tests.

#include "dsl/op_graph.hpp"

namespace dsl::testing {

using arguments = std::vector<messages::graph_argument>;

inline messages::tensor_spec spec(shape size, messages::dtype type = messages::dtype::float32) {
  return {type, size, contiguous_strides(size)};
}

inline messages::graph_value input(std::string name, shape size, messages::dtype type = messages::dtype::float32) {
  return {.name = std::move(name), .spec = spec(std::move(size), type)};
}

inline messages::graph_argument tensor(std::string name, std::string of) {
  return {std::move(name), messages::value_argument{std::move(of)}};
}
inline messages::graph_argument real(std::string name, double x) {
  return {std::move(name), messages::real_argument{x}};
}
inline messages::graph_argument text(std::string name, std::string x) {
  return {std::move(name), messages::text_argument{std::move(x)}};
}

inline messages::graph_node node(std::string name, std::string op, arguments list, shape size,
                                 messages::dtype type = messages::dtype::float32) {
  return {.name = std::move(name),
          .op = "aten." + std::move(op),
          .arguments = std::move(list),
          .output = spec(std::move(size), type)};
}

/// One operator over the inputs a, b and c of shape (4).
inline messages::op_graph graph_of(messages::graph_node only) {
  return {.task = "one",
          .values = {input("a", {4}), input("b", {4}), input("c", {4})},
          .nodes = {only},
          .outputs = {only.name}};
}

/// y = relu(x * scale + 1), with scale along the second of three dimensions.
inline messages::op_graph chain() {
  return {
      .task = "chain",
      .values = {input("x", {2, 3, 4}),
                 {.name = "scale", .origin = messages::value_origin::parameter, .path = "scale", .spec = spec({3, 1})}},
      .nodes = {node("mul", "mul", {tensor("self", "x"), tensor("other", "scale")}, {2, 3, 4}),
                node("add", "add", {tensor("self", "mul"), real("other", 1)}, {2, 3, 4}),
                node("relu", "relu", {tensor("self", "add")}, {2, 3, 4})},
      .outputs = {"relu"}};
}

}  // namespace dsl::testing
