#ifndef KERNELMESH_MESSAGES_BLOBS_BLOB_STORE_HPP
#define KERNELMESH_MESSAGES_BLOBS_BLOB_STORE_HPP
// What messages name by hash: sources, artifacts, tasks, op graphs, kept once on disk.

#include <filesystem>
#include <string>
#include <string_view>

#include "messages/records/failure.hpp"
#include "messages/records/ids.hpp"
#include "messages/wire/wire.hpp"

namespace blobs {

/// A folder with one read-only file a blob, `ab/cdef...` for the hash "abcdef...". Safe to use from any thread and by
/// several processes at once: a blob appears whole or not at all, and is on disk when `put` returns. Copies are cheap
/// and mean the same folder. Failures: `storage` (disk full, not writable), `not_found`, `unreadable` (damaged).
class blob_store {
public:
  /// Makes the folder (mode 0700) where it is missing. Once a day removes what crashes left of unfinished blobs.
  static messages::expected<blob_store> open(std::filesystem::path folder);

  messages::expected<messages::blob_hash> put(std::string_view bytes) const;
  messages::expected<messages::blob_hash> put_file(const std::filesystem::path& file) const;

  /// Contents, checked against the hash.
  messages::expected<std::string> get(const messages::blob_hash& hash) const;

  /// Where it lies, for processes that read it themselves.
  messages::expected<std::filesystem::path> path_of(const messages::blob_hash& hash) const;

  bool has(const messages::blob_hash& hash) const;

  const std::filesystem::path& folder() const { return folder_; }

  /// A record as JSON.
  template <wire::record T>
  messages::expected<messages::blob_hash> put_record(const T& x) const {
    return put(wire::to_json(x));
  }

  template <wire::record T>
  messages::expected<T> get_record(const messages::blob_hash& hash) const {
    auto text = get(hash);
    if (!text) return tl::unexpected{text.error()};
    auto x = wire::from_json<T>(*text, {.message_bytes = 256u << 20, .memory_bytes = 1u << 30, .depth = 64});
    if (!x)
      return messages::fail(messages::failure_code::unreadable, "blob " + hash.value + ": " + to_string(x.error()));
    return *std::move(x);
  }

private:
  explicit blob_store(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path place_of(const messages::blob_hash& hash) const;

  std::filesystem::path folder_;
};

}  // namespace blobs

#endif
