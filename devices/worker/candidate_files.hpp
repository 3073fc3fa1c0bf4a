#pragma once
// Where a candidate's parts lie on this node, for workers that read them themselves.

#include <map>
#include <string>

#include "messages/blobs/blob_store.hpp"
#include "messages/records/candidate.hpp"
#include "messages/records/stage.hpp"

namespace devices::worker {

struct candidate_files {
  messages::candidate_manifest manifest;
  std::map<std::string, std::string> files;  ///< path in the manifest -> absolute path of the blob
  std::string artifact;                      ///< absolute; empty: the request names none
};

/// Fails with the store's failures, and with `bad_input` on a path that leaves the candidate's folder.
messages::expected<candidate_files> find_candidate(const blobs::blob_store& store,
                                                   const messages::stage_request& request);

}  // namespace devices::worker
