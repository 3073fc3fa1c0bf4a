#include "dsl/algebra/scales.hpp"

#include <cmath>

namespace dsl::algebra {

std::optional<scale> scale_of(const messages::graph_node& node) {
  auto op = operator_of(node);
  if ((op != "mul" && op != "div") || !is_real(node.output) || !has_only(node, {"self", "other"})) return std::nullopt;
  auto number = number_in(node, "other");
  auto tensor = tensor_in(node);
  if (!number || tensor.empty()) return std::nullopt;
  return scale{std::string{tensor}, op == "mul" ? *number : 1 / *number};
}

std::optional<scale> scale_of(const graph_index& graph, std::string_view tensor) {
  const auto* node = graph.node(tensor);
  return node ? scale_of(*node) : std::nullopt;
}

std::string add_scale(builder& make, const scale& x, const messages::tensor_spec& output) {
  return make.add("mul.Tensor", {value("self", x.of), real("other", x.factor)}, output);
}

bool is_ordinary(double factor) { return std::abs(factor) >= 0x1p-40 && std::abs(factor) <= 0x1p40; }

std::optional<shift> shift_of(const messages::graph_node& node) {
  auto op = operator_of(node);
  if ((op != "add" && op != "sub") || !is_real(node.output) || !has_only(node, {"self", "other"})) return std::nullopt;
  auto number = number_in(node, "other");
  auto tensor = tensor_in(node);
  if (!number || tensor.empty()) return std::nullopt;
  return shift{std::string{tensor}, op == "add" ? *number : -*number};
}

std::optional<shift> shift_of(const graph_index& graph, std::string_view tensor) {
  const auto* node = graph.node(tensor);
  return node ? shift_of(*node) : std::nullopt;
}

}  // namespace dsl::algebra
