#pragma once
// What the agents without a model have in common.

#include <memory>
#include <vector>

#include "actors/caf.hpp"
#include "actors/tuned_plans.hpp"
#include "dsl/recipe.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/question.hpp"

namespace actors {

struct rules_agent_options {
  std::shared_ptr<const dsl::language_set> languages;
  std::optional<blobs::blob_store> store;
  bool own_thread = true;              ///< they read and write blobs; false: for tests in virtual time
  std::optional<tuned_plans> earlier;  ///< what earlier runs found; none: nothing is known
};

/// The language that a question is about; `bad_input` with the known names.
messages::expected<std::shared_ptr<const dsl::language>> language_of(const rules_agent_options& options,
                                                                     const messages::question_context& about);

/// One a shape of the task, the first one before all others.
messages::expected<std::vector<messages::op_graph>> graphs_of(const rules_agent_options& options,
                                                              const messages::question_context& about);

/// The frame of an agent that answers at once with a function of its own: Role has `handle`, `request`, `name` and
/// `answer(options, request)`, which gives a reply or a failure.
template <class Role>
class rules_agent_state {
public:
  using handle = typename Role::handle;
  using pointer = typename handle::template stateful_pointer<rules_agent_state>;
  static inline const char* name = Role::name;

  explicit rules_agent_state(pointer) {}

  typename handle::behavior_type start(const rules_agent_options& options) {
    options_ = options;
    return {
        [this](const typename Role::request& x) { return answer(x); },
        [](const messages::cancel_question&) {},  // it is answered before this comes
    };
  }

private:
  using reply = typename decltype(Role::answer(std::declval<const rules_agent_options&>(),
                                               std::declval<const typename Role::request&>()))::value_type;

  caf::result<reply> answer(const typename Role::request& x) {
    auto found = Role::answer(options_, x);
    if (!found) return messages::to_error(found.error());
    return std::move(*found);
  }

  rules_agent_options options_;
};

/// On a thread of its own or, for tests, on the scheduler's.
template <class Role>
typename Role::handle spawn_rules_agent(caf::actor_system& system, const rules_agent_options& options) {
  if (options.own_thread) return spawn_state<rules_agent_state<Role>, caf::detached>(system, options);
  return spawn_state<rules_agent_state<Role>>(system, options);
}

}  // namespace actors
