#include "actors/coder.hpp"

#include "dsl/rules_coder.hpp"

namespace actors {

namespace {

using namespace messages;

struct rules_coder {
  using handle = coder_actor;
  using request = code_request;
  static constexpr const char* name = "coder.rules";

  static expected<code_reply> answer(const rules_agent_options& options, const code_request& x) {
    auto language = language_of(options, x.about);
    if (!language) return code_reply{.remark = language.error().detail};
    auto graphs = graphs_of(options, x.about);
    if (!graphs) return tl::unexpected{graphs.error()};
    return dsl::rules_code(x, *graphs, **language, *options.store);
  }
};

}  // namespace

coder_actor spawn_rules_coder(caf::actor_system& system, const rules_agent_options& options) {
  return spawn_rules_agent<rules_coder>(system, options);
}

}  // namespace actors
