#pragma once
// The nodes that are to be one group, as whoever covers groups looks at them.

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/op_graph.hpp"

namespace dsl {

/// Borrows the graph that it was made of; `index` is that one's in every call.
class node_set {
public:
  /// Fails (`bad_input`) for a name that the graph does not have, and for one that stands twice.
  static messages::expected<node_set> of(const graph_index& index, std::span<const std::string> names);

  const std::vector<const messages::graph_node*>& in_order() const { return ordered_; }  ///< of the graph
  const std::set<const messages::graph_node*>& members() const { return members_; }
  bool contains(const messages::graph_node& node) const { return members_.contains(&node); }

  /// Whether the graph returns it, or a node outside of the set uses it.
  bool is_result(const graph_index& index, const messages::graph_node& node) const;

  /// Names of all nodes of the graph that depend on one of the set, its own too: what a group must not read.
  std::set<std::string_view> dependents(const graph_index& index) const;

private:
  std::vector<const messages::graph_node*> ordered_;
  std::set<const messages::graph_node*> members_;
};

}  // namespace dsl
