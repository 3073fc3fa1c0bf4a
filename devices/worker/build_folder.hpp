#pragma once
// Where a build takes place, and how its result is taken from there. Whoever builds is not trusted: it may put links or
// anything else in the place of what is expected.

#include "devices/worker/child_process.hpp"
#include "devices/worker/private_folder.hpp"
#include "messages/blobs/blob_store.hpp"

namespace devices::worker {

struct kept_file {
  messages::blob_hash blob;
  std::uintmax_t bytes = 0;
};

class build_folder {
public:
  /// @param parent the worker's own folder
  /// @param given_away the worker is another user than we are, if we are root
  static messages::expected<build_folder> make(const std::filesystem::path& parent, bool given_away);

  const std::filesystem::path& path() const { return folder_.path(); }

  /// Puts a plain file of the folder itself into the store. Fails with `wrong_answer` on anything else, and with the
  /// store's failures.
  messages::expected<kept_file> keep(const std::string& name, const blobs::blob_store& store) const;

private:
  private_folder folder_;
  descriptor opened_;  // of the folder that was made, whatever has its name now
};

}  // namespace devices::worker
