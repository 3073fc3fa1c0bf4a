#pragma once
// What the agents without a model have in common.

#include <memory>

#include "actors/caf.hpp"
#include "dsl/recipe.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/question.hpp"

namespace actors {

struct rules_agent_options {
  std::shared_ptr<const dsl::language_set> languages;
  std::optional<blobs::blob_store> store;
  bool own_thread = true;  ///< they read and write blobs; false: for tests in virtual time
};

/// The language that a question is about; `bad_input` with the known names.
messages::expected<std::shared_ptr<const dsl::language>> language_of(const rules_agent_options& options,
                                                                     const messages::question_context& about);

messages::expected<messages::op_graph> graph_of(const rules_agent_options& options,
                                                const messages::question_context& about);

/// Spawns an agent on its own thread or, for tests, on the scheduler's.
template <class State>
auto spawn_rules_agent(caf::actor_system& system, const rules_agent_options& options) -> typename State::handle {
  if (options.own_thread) return spawn_state<State, caf::detached>(system, options);
  return spawn_state<State>(system, options);
}

}  // namespace actors
