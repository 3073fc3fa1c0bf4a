#pragma once
// A candidate's parts in a folder that a worker can read: the store is not shown to it.

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "devices/worker/private_folder.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/records/candidate.hpp"
#include "messages/records/stage.hpp"

namespace devices::worker {

struct candidate_files {
  messages::candidate_manifest manifest;
  std::map<std::string, std::string> files;  ///< path in the manifest -> absolute path of a copy
  std::string artifact;                      ///< absolute path of a copy; empty: the request names none
  std::shared_ptr<private_folder> folder;    ///< of the copies, which go away with it
};

/// @param parent where the folder is made; workers can't write there
/// Fails with the store's failures, and with `bad_input` on a path that leaves the candidate's folder.
messages::expected<candidate_files> copy_candidate(const blobs::blob_store& store,
                                                   const messages::stage_request& request,
                                                   const std::filesystem::path& parent);

}  // namespace devices::worker
