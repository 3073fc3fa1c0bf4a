#pragma once
// In front of a node's compiler or device_runner: sees to it that the blobs of a stage are here before it begins, and
// those of its result at the coordinator before that is told.

#include "actors/caf.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/protocols/link.hpp"

namespace actors {

struct stage_porter_options {
  messages::stage_runner_actor runner;
  messages::courier_actor courier;
  std::chrono::milliseconds blobs_limit{600'000};  ///< for all blobs of a stage, one way
};

/// When it ends, what it has at the runner is cancelled, and its askers get actor_lost.
messages::stage_runner_actor spawn_stage_porter(caf::actor_system& system, const blobs::blob_store& store,
                                                const stage_porter_options& options);

}  // namespace actors
