#pragma once
// Answers ZeroMQ's question whether a CURVE key may connect (RFC 27).

#include <functional>
#include <optional>

#include "devices/worker/zmq.hpp"
#include "messages/records/keys.hpp"

namespace actors::links {

using admission = std::function<std::optional<messages::node_name>(const messages::public_key&)>;

/// ZeroMQ asks through an inproc socket of the same context. An admitted connection carries the name that its key was
/// made for as User-Id on every message; the peer cannot set it.
class zap_handler {
public:
  /// Must exist before the socket it guards is bound: connections made without a handler are not checked.
  zap_handler(zmq::context_t& context, admission admit);

  zmq::socket_t& socket() { return socket_; }

  /// Answers one question, if there is one. Returns the key, if it was refused.
  std::optional<messages::public_key> answer_next();

private:
  zmq::socket_t socket_;
  admission admit_;
};

}  // namespace actors::links
