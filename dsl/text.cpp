#include "dsl/text.hpp"

namespace dsl {

std::string shape_of(const messages::tensor_spec& x) {
  std::string text;
  for (auto size : x.shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return '[' + text + ']';
}

std::string harmless(std::string_view x) {
  std::string text{x.substr(0, 128)};
  for (auto& c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (!plain) c = '_';
  }
  return text;
}

std::string operators_of(const graph_index& graph, std::span<const std::string> nodes) {
  std::string text;
  for (const auto& node : nodes) text += (text.empty() ? "" : ", ") + harmless(graph.node(node)->op);
  return text;
}

}  // namespace dsl
