#pragma once
// Which nodes one kernel computes together: groups that grow over the edges of the graph, not over its order.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dsl/recipe.hpp"

namespace dsl {

/// Which recipe computes these nodes, which are in the graph's order, as one kernel; null: none.
using covering = std::function<const recipe*(std::span<const std::string> nodes)>;

/// An anchor is a node that is neither pointwise nor a view: a reduction, pool, scan, product. What may grow around it:
struct fusion_options {
  bool prologues = true;    ///< pointwise work before an anchor joins it
  bool epilogues = true;    ///< pointwise work behind an anchor joins it
  bool shared = true;       ///< work joins one of its users although others read its result too
  std::string remark = {};  ///< for people

  friend bool operator==(const fusion_options&, const fusion_options&) = default;
};

struct node_group {
  const recipe* by = nullptr;      ///< null: no recipe covers it
  std::vector<std::string> nodes;  ///< in the graph's order

  friend bool operator==(const node_group&, const node_group&) = default;
};

/// Groups that a recipe covers and nodes that none does, each node in one group, in an order in which they can run:
/// each after what it reads, and after what reads a buffer that it changes. Where there is a choice, groups without a
/// recipe come first. Pairs are joined in order of the bytes that need not be written and read.
std::vector<node_group> group_nodes(const graph_index& graph, const covering& cover, const fusion_options& options);

}  // namespace dsl
