#pragma once
// Whether a plan can be carried out. Plans come from rules and from models; nothing is written for one that has a
// problem here.

#include <span>
#include <string>
#include <vector>

#include "dsl/op_graph.hpp"
#include "dsl/recipe.hpp"
#include "messages/records/device.hpp"
#include "messages/records/plan.hpp"

namespace dsl {

struct plan_problem {
  std::string path;     ///< in the plan, "groups[1].knobs.block"
  std::string problem;  ///< one clause
  friend bool operator==(const plan_problem&, const plan_problem&) = default;
};

/// All problems, in the plan's order; none: every node is in exactly one group, names are unique identifiers, recipes
/// and knobs are known, values are allowed and within the device's limits, each group comes after those it uses, and
/// its recipe covers its nodes.
std::vector<plan_problem> check_plan(const messages::plan& plan, const graph_index& graph, const language& language,
                                     const messages::device_info& device);

/// "groups[1].recipe: the DSL has no recipe \"mapp\"; groups[1].nodes: ...".
std::string to_string(std::span<const plan_problem> problems);

}  // namespace dsl
