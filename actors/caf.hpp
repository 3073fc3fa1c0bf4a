#ifndef KERNELMESH_ACTORS_CAF_HPP
#define KERNELMESH_ACTORS_CAF_HPP
// All that sources of actors need of CAF 0.17.6.

#include <type_traits>
#include <utility>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/response_promise.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "messages/protocols/caf.hpp"

namespace actors {

/// Spawns an actor that keeps a State: constructed from `self`, it gives the behaviour in `start(xs...)`. CAF would
/// take a make_behavior() of the state without a word and ignore it.
template <class State, caf::spawn_options Options = caf::no_spawn_options, class... Xs>
auto spawn_state(caf::actor_system& system, Xs... xs) {
  static_assert(!std::is_aggregate_v<State>, "CAF would set the first member of an aggregate to self");
  return system.spawn<Options>([xs...](typename State::pointer self) { return self->state.start(xs...); });
}

/// Only for use by the actor that made the promise, in a handler or in its state's destructor: elsewhere it crashes.
template <class T>
void deliver(caf::typed_response_promise<T> promise, std::type_identity_t<messages::expected<T>> outcome) {
  if (outcome)
    promise.deliver(std::move(*outcome));
  else
    promise.deliver(messages::to_error(outcome.error()));
}

}  // namespace actors

#endif
