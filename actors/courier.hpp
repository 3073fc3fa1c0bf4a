#pragma once
// Carries blobs between a node's own store and the coordinator's: each once, in parts, checked on arrival.

#include "actors/caf.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/protocols/link.hpp"

namespace actors {

struct courier_options {
  messages::node_name node;          ///< this one
  messages::blob_depot_actor depot;  ///< the coordinator's
  std::chrono::milliseconds part_limit{60'000};
  bool own_thread = true;  ///< it waits for the disk; false: tests in virtual time
};

messages::courier_actor spawn_courier(caf::actor_system& system, const blobs::blob_store& store,
                                      const courier_options& options);

}  // namespace actors
