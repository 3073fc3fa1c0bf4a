#pragma once
// Legal algebra on a task, once for a job: between its trace and its first plan.

#include "messages/blobs/blob_store.hpp"
#include "messages/records/verdict.hpp"

namespace actors {

/// The trace with what rules of algebra make of its graph, which is then in the store; as it is where none fires, or
/// where the graph is none that can be relied on (planners say so). With several shapes all graphs are simplified, or
/// none where they would not have the same nodes any more. Fails where the store does.
messages::expected<messages::traced> simplified_trace(messages::traced trace, const blobs::blob_store& store);

}  // namespace actors
