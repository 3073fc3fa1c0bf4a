#pragma once
// The planner without a model: which recipes cover the graph, and their presets as plans.

#include <span>

#include "dsl/recipe.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/question.hpp"

namespace dsl {

/// At most `wanted` plans (0: none), each of which check_plan accepts: first every grouping, in order of its roofline
/// cost (plan_cost.hpp), then the same with the recipes' other presets. A graph that one kernel can compute becomes one
/// group; else groups grow around anchors (grouping.hpp). What no kernel covers is left to a library's recipe where
/// the request allows it, the DSL has one, and a kernel is left; else there is no plan, with the remark
/// "not covered: aten.convolution, aten.max_pool2d".
/// @param graph anything; one that does not pass check(op_graph) gives no plan and a remark
messages::plan_reply rules_plan(const messages::plan_request& request, const messages::op_graph& graph,
                                const language& language);

/// Of a task with several shapes: plans of the first one that check_plan accepts for all of them. Nothing is left to a
/// library: no DSL writes such programs for several shapes yet.
/// @param graphs one a shape, at least one
messages::plan_reply rules_plan(const messages::plan_request& request, std::span<const messages::op_graph> graphs,
                                const language& language);

}  // namespace dsl
