#include "actors/planner.hpp"

#include <algorithm>

#include "dsl/knobs.hpp"
#include "dsl/plan_checker.hpp"
#include "dsl/rules_planner.hpp"

namespace actors {

namespace {

using namespace messages;

bool calls_library(const plan& plan, const dsl::language& language) {
  return std::ranges::any_of(plan.groups, [&](const auto& group) {
    auto recipe = language.files().recipe(group.recipe);
    return recipe && recipe->manifest.library;
  });
}

/// What an earlier run found, if it fits the graphs of all shapes, the device and what this run allows.
void put_earlier_first(plan_reply& reply, const tuned_plans& earlier, const plan_request& x,
                       const std::vector<op_graph>& graphs, const dsl::language& language) {
  const auto& about = x.about;
  auto known = earlier.find(graphs.front(), about.target.dsl, about.device, about.run);
  auto fits = [&](const op_graph& graph) {
    return dsl::check_plan(known->plan, dsl::graph_index{graph}, language, about.device).empty();
  };
  if (!known || !std::ranges::all_of(graphs, fits)) return;
  if (!x.allow_library_calls && calls_library(known->plan, language)) return;
  std::erase_if(reply.plans, [&](const plan& y) { return y.groups == known->plan.groups; });
  reply.plans.insert(reply.plans.begin(), std::move(known->plan));
  reply.started_from = std::move(known->from);
}

struct rules_planner {
  using handle = planner_actor;
  using request = plan_request;
  static constexpr const char* name = "planner.rules";

  static expected<plan_reply> answer(const rules_agent_options& options, const plan_request& x) {
    auto language = language_of(options, x.about);
    if (!language) return plan_reply{{}, language.error().detail};
    auto graphs = graphs_of(options, x.about);
    if (!graphs) return tl::unexpected{graphs.error()};
    auto reply = dsl::rules_plan(x, *graphs, **language);
    if (x.earlier && options.earlier) put_earlier_first(reply, *options.earlier, x, *graphs, **language);
    reply.spaces = dsl::spaces_of(reply.plans, (*language)->files(), x.about.device);
    return reply;
  }
};

}  // namespace

planner_actor spawn_rules_planner(caf::actor_system& system, const rules_agent_options& options) {
  return spawn_rules_agent<rules_planner>(system, options);
}

}  // namespace actors
