#include "actors/coder.hpp"

#include "dsl/rules_coder.hpp"

namespace actors {

namespace {

using namespace messages;

class rules_coder_state {
public:
  using handle = coder_actor;
  using pointer = handle::stateful_pointer<rules_coder_state>;
  static inline const char* name = "coder.rules";

  explicit rules_coder_state(pointer) {}

  handle::behavior_type start(const rules_agent_options& options) {
    options_ = options;
    return {
        [this](const code_request& x) { return write(x); }, [](const cancel_question&) {},  // answered at once
    };
  }

private:
  caf::result<code_reply> write(const code_request& x) {
    auto language = language_of(options_, x.about);
    if (!language) return code_reply{.remark = language.error().detail};
    auto graph = graph_of(options_, x.about);
    if (!graph) return to_error(graph.error());
    auto reply = dsl::rules_code(x, *graph, **language, *options_.store);
    if (!reply) return to_error(reply.error());
    return std::move(*reply);
  }

  rules_agent_options options_;
};

}  // namespace

coder_actor spawn_rules_coder(caf::actor_system& system, const rules_agent_options& options) {
  return spawn_rules_agent<rules_coder_state>(system, options);
}

}  // namespace actors
