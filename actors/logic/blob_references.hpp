#pragma once
// The blobs that a record names: what its journal needs, or what must travel with it.

#include <set>

#include "messages/records/candidate.hpp"
#include "messages/records/fact.hpp"

namespace actors::logic {

/// All that the record itself names. A manifest or a plan among them names further ones.
std::set<messages::blob_hash> blobs_of(const messages::fact& x);
std::set<messages::blob_hash> blobs_of(const messages::stage_request& x);
std::set<messages::blob_hash> blobs_of(const messages::stage_result& x);
std::set<messages::blob_hash> blobs_of(const messages::candidate_manifest& x);

}  // namespace actors::logic
