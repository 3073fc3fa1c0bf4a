#pragma once
// How a node reaches its peers.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "actors/links/keys.hpp"
#include "actors/logic/link_protocol.hpp"

namespace actors::links {

/// Listens; keys that are admitted may join.
struct coordinator_role {
  std::function<std::optional<messages::node_name>(const messages::public_key&)> admit;
};

/// Dials one coordinator and trusts its key only.
struct node_role {
  messages::node_name name;
  messages::public_key coordinator;
};

struct link_options {
  std::string address;  ///< "tcp://10.0.0.1:7400"; a coordinator may say port * and ask the link which it got
  key_pair keys;
  std::variant<coordinator_role, node_role> role;
  std::string build;  ///< of the program, told to peers

  logic::call_limits calls;
  std::int64_t message_bytes = 16 << 20;        ///< a longer part ends the connection; bulk data goes in parts
  std::chrono::milliseconds heartbeat{2'000};   ///< between pings
  std::chrono::milliseconds silence{6'000};     ///< nothing heard for so long: the peer is lost
  std::chrono::milliseconds handshake{10'000};  ///< for connecting and CURVE
  std::chrono::milliseconds redial{100};        ///< first wait after a lost connection; doubles up to `silence`

  /// Runs on the link's thread: post only.
  std::function<void(const messages::link_event&)> on_event = [](const messages::link_event&) {};

  messages::expected<void> validate() const;
};

/// "tcp://HOST:PORT" of "HOST:PORT" or of itself. Failure: misconfigured.
messages::expected<std::string> endpoint_of(const std::string& address);

/// Can it be reached from this machine alone? A name counts as one that others reach.
bool is_loopback(const std::string& endpoint);

}  // namespace actors::links
