#pragma once
// The only file that includes ZeroMQ. For sources that own a socket.

#include <vector>

#include <zmq.hpp>

#include "messages/wire/wire.hpp"

namespace devices::worker::zeromq {

/// For a socket that binds. ZeroMQ takes whatever does not begin with its greeting for a peer of 2010 and its bytes for
/// messages; one that could be asked for credentials refuses it. Nobody asks: no handler is there.
inline void refuse_peers_without_greeting(zmq::socket_t& socket) { socket.set(zmq::sockopt::zap_domain, "kernelmesh"); }

/// Of the message that is there; empty if none is. A message arrives whole or not at all.
inline std::vector<zmq::message_t> receive_parts(zmq::socket_t& socket) {
  std::vector<zmq::message_t> parts;
  do {
    if (!socket.recv(parts.emplace_back(), zmq::recv_flags::dontwait)) return {};
  } while (parts.back().more());
  return parts;
}

inline wire::bytes_view view_of(const zmq::message_t& part) { return {part.data<std::byte>(), part.size()}; }

}  // namespace devices::worker::zeromq
