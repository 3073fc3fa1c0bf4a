#include "devices/worker/candidate_files.hpp"

#include <algorithm>
#include <filesystem>

namespace devices::worker {

namespace {

bool stays_inside(const std::string& path) {
  std::filesystem::path x{path};
  return !path.empty() && !x.is_absolute() && std::ranges::find(x, "..") == x.end();
}

/// Blobs lie under the store's folder, which may have been named relative to ours; workers run elsewhere.
messages::expected<std::string> place_of(const blobs::blob_store& store, const messages::blob_hash& hash) {
  auto path = store.path_of(hash);
  if (!path) return tl::unexpected{path.error()};
  return std::filesystem::absolute(*path).string();
}

}  // namespace

messages::expected<candidate_files> find_candidate(const blobs::blob_store& store,
                                                   const messages::stage_request& request) {
  auto manifest = store.get_record<messages::candidate_manifest>(request.manifest);
  if (!manifest) return tl::unexpected{manifest.error()};
  candidate_files found{.manifest = *std::move(manifest)};
  for (const auto& source : found.manifest.sources) {
    if (!stays_inside(source.path))
      return messages::fail(messages::failure_code::bad_input, "the manifest names the source \"" + source.path + '"');
    auto place = place_of(store, source.blob);
    if (!place) return tl::unexpected{place.error()};
    found.files[source.path] = *place;
  }
  if (request.artifact == messages::blob_hash{}) return found;
  auto artifact = place_of(store, request.artifact);
  if (!artifact) return tl::unexpected{artifact.error()};
  found.artifact = *std::move(artifact);
  return found;
}

}  // namespace devices::worker
