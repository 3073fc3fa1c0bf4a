#include "dsl/node_set.hpp"

#include <algorithm>

namespace dsl {

using messages::graph_node;

messages::expected<node_set> node_set::of(const graph_index& index, std::span<const std::string> names) {
  node_set set;
  for (const auto& name : names) {
    const auto* node = index.node(name);
    if (!node)
      return messages::fail(messages::failure_code::bad_input, "there is no node \"" + name.substr(0, 64) + '"');
    if (!set.members_.insert(node).second) return refuse(*node, "is named twice");
    set.ordered_.push_back(node);
  }
  std::ranges::sort(set.ordered_, {}, [&](const auto* node) { return index.position(*node); });
  return set;
}

bool node_set::is_result(const graph_index& index, const graph_node& node) const {
  auto outside = [&](const auto* user) { return !members_.contains(user); };
  return index.is_output(node.name) || std::ranges::any_of(index.users(node.name), outside);
}

std::set<std::string_view> node_set::dependents(const graph_index& index) const {
  std::set<std::string_view> after;
  for (const auto& node : index.graph().nodes) {
    auto later = [&] {
      return std::ranges::any_of(tensors_used(node), [&](auto name) { return after.contains(name); });
    };
    if (members_.contains(&node) || later()) after.insert(node.name);
  }
  return after;
}

}  // namespace dsl
