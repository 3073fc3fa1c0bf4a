#include "actors/debugger.hpp"

#include "dsl/rules_debugger.hpp"

namespace actors {

namespace {

using namespace messages;

struct rules_debugger {
  using handle = debugger_actor;
  using request = debug_request;
  static constexpr const char* name = "debugger.rules";

  static expected<debug_reply> answer(const rules_agent_options& options, const debug_request& x) {
    auto language = language_of(options, x.about);
    if (!language) return debug_reply{next_plan{}, language.error().detail};
    return dsl::rules_debug(x, **language);
  }
};

}  // namespace

debugger_actor spawn_rules_debugger(caf::actor_system& system, const rules_agent_options& options) {
  return spawn_rules_agent<rules_debugger>(system, options);
}

}  // namespace actors
