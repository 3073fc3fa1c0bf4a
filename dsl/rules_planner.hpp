#pragma once
// The planner without a model: which recipes cover the graph, and their presets as plans.

#include "dsl/recipe.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/question.hpp"

namespace dsl {

/// At most `wanted` plans (0: none), the most promising first, each of which check_plan accepts. None with a remark
/// ("not covered: aten.convolution, aten.max_pool2d") where some node has no recipe. Where the request allows it, nodes
/// without a kernel's recipe are left to the library's, as long as any kernel is left. Nodes are gathered greedily in
/// the graph's order, so a graph that one kernel can compute becomes one group.
/// @param graph anything; one that does not pass check(op_graph) gives no plan and a remark
messages::plan_reply rules_plan(const messages::plan_request& request, const messages::op_graph& graph,
                                const language& language);

}  // namespace dsl
