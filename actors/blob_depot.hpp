#pragma once
// Lets nodes read and write a blob store, in parts.

#include "actors/caf.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/protocols/link.hpp"

namespace actors {

struct blob_depot_options {
  bool own_thread = true;  ///< it waits for the disk; false: tests in virtual time
};

/// The name under which nodes find it.
inline const messages::actor_name blob_depot_name{"blobs"};

messages::blob_depot_actor spawn_blob_depot(caf::actor_system& system, const blobs::blob_store& store,
                                            const blob_depot_options& options = {});

}  // namespace actors
