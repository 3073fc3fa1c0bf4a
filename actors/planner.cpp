#include "actors/planner.hpp"

#include "dsl/rules_planner.hpp"

namespace actors {

namespace {

using namespace messages;

class rules_planner_state {
public:
  using handle = planner_actor;
  using pointer = handle::stateful_pointer<rules_planner_state>;
  static inline const char* name = "planner.rules";

  explicit rules_planner_state(pointer) {}

  handle::behavior_type start(const rules_agent_options& options) {
    options_ = options;
    return {
        [this](const plan_request& x) { return plan(x); }, [](const cancel_question&) {},  // answered at once
    };
  }

private:
  caf::result<plan_reply> plan(const plan_request& x) {
    auto language = language_of(options_, x.about);
    if (!language) return plan_reply{{}, language.error().detail};
    auto graph = graph_of(options_, x.about);
    if (!graph) return to_error(graph.error());
    return dsl::rules_plan(x, *graph, **language);
  }

  rules_agent_options options_;
};

}  // namespace

planner_actor spawn_rules_planner(caf::actor_system& system, const rules_agent_options& options) {
  return spawn_rules_agent<rules_planner_state>(system, options);
}

}  // namespace actors
