#pragma once
// A node's side of membership: takes the place of the scheduler there, and lends what it is offered to the coordinator.

#include "actors/caf.hpp"
#include "actors/links/link.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/protocols/link.hpp"

namespace actors {

struct lender_options {
  links::link* link = nullptr;  ///< to the coordinator; outlives the actor
  messages::courier_actor courier;
};

/// Says what it lends on each join. While the coordinator is away nothing runs: what ran for it is cancelled, since it
/// has given that to somebody else.
messages::lender_actor spawn_lender(caf::actor_system& system, const blobs::blob_store& store,
                                    const lender_options& options);

}  // namespace actors
