#ifndef KERNELMESH_MESSAGES_RECORDS_KEYS_HPP
#define KERNELMESH_MESSAGES_RECORDS_KEYS_HPP
// Keys of nodes as they lie in the state folder, and what a token holds. Keys are CURVE keys as Z85 text, 40 characters
// each.

#include <cstdint>
#include <string>

#include "messages/records/ids.hpp"

namespace messages {

using public_key = strong_id<struct public_key_tag, std::string>;
using secret_key = strong_id<struct secret_key_tag, std::string>;  ///< never in a log or an error

/// A file of the folder certs, mode 0600.
struct key_file {
  std::uint32_t version = 1;
  node_name name;
  public_key open;
  secret_key secret;

  void fields(auto& f) {
    f("version", version);
    f("name", name);
    f("public", open);
    f("secret", secret);
  }
  friend bool operator==(const key_file&, const key_file&) = default;
};

/// All that a node needs to join.
struct join_ticket {
  std::uint32_t version = 1;
  std::string address;  ///< "tcp://10.0.0.1:7400"
  public_key server;    ///< of the coordinator: the node talks to nobody else
  node_name name;       ///< for which the key was made
  secret_key secret;

  void fields(auto& f) {
    f("version", version);
    f("address", address);
    f("server", server);
    f("name", name);
    f("secret", secret);
  }
  friend bool operator==(const join_ticket&, const join_ticket&) = default;
};

/// `certs new` and `certs token` with --json.
struct certs_document {
  std::string schema = "kernelmesh.certs/1";
  std::string name;
  std::string public_key;
  std::string file;   ///< where the key lies
  std::string token;  ///< of `certs token`

  void fields(auto& f) {
    f("schema", schema);
    f("name", name);
    f("public_key", public_key);
    f("file", file);
    f("token", token);
  }
  friend bool operator==(const certs_document&, const certs_document&) = default;
};

}  // namespace messages

#endif
