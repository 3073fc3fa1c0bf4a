#include "devices/worker/candidate_files.hpp"

#include <algorithm>

namespace devices::worker {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

constexpr auto readable = fs::perms{0644}, passable = fs::perms{0755};  // the worker is another user in its sandbox

bool stays_inside(const std::string& path) {
  fs::path x{path};
  return !path.empty() && !x.is_absolute() && std::ranges::find(x, "..") == x.end();
}

messages::expected<std::string> copy(const blobs::blob_store& store, const messages::blob_hash& hash,
                                     const fs::path& place) {
  auto path = store.path_of(hash);
  if (!path) return tl::unexpected{path.error()};
  std::error_code error;
  if (fs::copy_file(*path, place, error)) fs::permissions(place, readable, error);
  if (error) return fail(failure_code::storage, "cannot copy " + path->string() + ": " + error.message());
  return place.string();
}

messages::expected<void> copy_all(candidate_files& to, const blobs::blob_store& store,
                                  const messages::stage_request& request) {
  std::size_t count = 0;
  for (const auto& source : to.manifest.sources) {
    if (!stays_inside(source.path))
      return fail(failure_code::bad_input, "the manifest names the source \"" + source.path + '"');
    auto copied = copy(store, source.blob, to.folder->path() / ("source." + std::to_string(count++)));
    if (!copied) return tl::unexpected{copied.error()};
    to.files[source.path] = *copied;
  }
  if (request.artifact == messages::blob_hash{}) return {};
  auto copied = copy(store, request.artifact, to.folder->path() / "artifact");
  if (!copied) return tl::unexpected{copied.error()};
  to.artifact = *copied;
  return {};
}

}  // namespace

messages::expected<candidate_files> copy_candidate(const blobs::blob_store& store,
                                                   const messages::stage_request& request, const fs::path& parent) {
  auto manifest = store.get_record<messages::candidate_manifest>(request.manifest);
  if (!manifest) return tl::unexpected{manifest.error()};
  auto folder = private_folder::make(parent, "candidate." + random_token());
  if (!folder) return tl::unexpected{folder.error()};
  std::error_code error;
  fs::permissions(folder->path(), passable, error);
  candidate_files found{.manifest = *std::move(manifest),
                        .folder = std::make_shared<private_folder>(*std::move(folder))};
  if (auto copied = copy_all(found, store, request); !copied) return tl::unexpected{copied.error()};
  return found;
}

}  // namespace devices::worker
