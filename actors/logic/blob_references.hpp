#pragma once
// Which blobs a journal needs.

#include <set>

#include "messages/records/fact.hpp"

namespace actors::logic {

/// Every blob that a fact names, wherever in it: tasks, manifests, sources, op graphs, artifacts.
std::set<messages::blob_hash> blobs_of(const messages::fact& x);

}  // namespace actors::logic
