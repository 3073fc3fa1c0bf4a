#include "actors/planner.hpp"

#include "dsl/rules_planner.hpp"

namespace actors {

namespace {

using namespace messages;

struct rules_planner {
  using handle = planner_actor;
  using request = plan_request;
  static constexpr const char* name = "planner.rules";

  static expected<plan_reply> answer(const rules_agent_options& options, const plan_request& x) {
    auto language = language_of(options, x.about);
    if (!language) return plan_reply{{}, language.error().detail};
    auto graph = graph_of(options, x.about);
    if (!graph) return tl::unexpected{graph.error()};
    return dsl::rules_plan(x, *graph, **language);
  }
};

}  // namespace

planner_actor spawn_rules_planner(caf::actor_system& system, const rules_agent_options& options) {
  return spawn_rules_agent<rules_planner>(system, options);
}

}  // namespace actors
