#include "actors/debugger.hpp"

#include "dsl/rules_debugger.hpp"

namespace actors {

namespace {

using namespace messages;

class rules_debugger_state {
public:
  using handle = debugger_actor;
  using pointer = handle::stateful_pointer<rules_debugger_state>;
  static inline const char* name = "debugger.rules";

  explicit rules_debugger_state(pointer) {}

  handle::behavior_type start(const rules_agent_options& options) {
    options_ = options;
    return {
        [this](const debug_request& x) { return advise(x); }, [](const cancel_question&) {},  // answered at once
    };
  }

private:
  debug_reply advise(const debug_request& x) {
    auto language = language_of(options_, x.about);
    if (!language) return {next_plan{}, language.error().detail};
    return dsl::rules_debug(x, **language);
  }

  rules_agent_options options_;
};

}  // namespace

debugger_actor spawn_rules_debugger(caf::actor_system& system, const rules_agent_options& options) {
  return spawn_rules_agent<rules_debugger_state>(system, options);
}

}  // namespace actors
