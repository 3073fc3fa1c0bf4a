#pragma once
// CURVE keys: made, kept as files, handed on as tokens.

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "messages/records/failure.hpp"
#include "messages/records/keys.hpp"

namespace actors::links {

struct key_pair {
  messages::public_key open;
  messages::secret_key secret;
};

/// From the operating system's random source. Terminates if ZeroMQ was built without CURVE.
key_pair make_key_pair();

/// The pair of a secret key. Failure: bad_input, where that is none.
messages::expected<key_pair> pair_of(const messages::secret_key& secret);

// -- tokens -----------------------------------------------------------------------------------------------------------

/// One word that shells take as it is; it holds the secret key.
std::string token_of(const messages::join_ticket& x);

/// Failure: bad_input, one sentence.
messages::expected<messages::join_ticket> read_token(const std::string& token);

// -- files ------------------------------------------------------------------------------------------------------------

/// The keys of a cluster, in the coordinator's state folder: a file of mode 0600 each, in a folder of mode 0700. Copies
/// are cheap and mean the same folder. Failures: storage, unreadable (a file that is none of ours, or that others may
/// read).
class key_folder {
public:
  explicit key_folder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The coordinator's own; made where it is missing.
  messages::expected<key_pair> own() const;

  /// Makes the key of a node. Failure also: bad_input (the name is taken or is none).
  messages::expected<key_pair> make(const messages::node_name& name) const;

  /// Failure also: not_found.
  messages::expected<key_pair> find(const messages::node_name& name) const;

  /// All nodes that have a key; files that can't be read admit nobody.
  std::map<messages::public_key, messages::node_name> nodes() const;

  std::filesystem::path file_of(const messages::node_name& name) const;

private:
  messages::expected<messages::key_file> read(const std::filesystem::path& file) const;
  messages::expected<key_pair> write(const messages::node_name& name, const std::filesystem::path& file) const;

  std::filesystem::path folder_;
};

/// Who may join: the key's node, or nobody. Reads the folder again when an unknown key comes, so that a key made
/// meanwhile counts, and one that was removed counts no longer.
std::function<std::optional<messages::node_name>(const messages::public_key&)> admission_by(key_folder folder);

}  // namespace actors::links
