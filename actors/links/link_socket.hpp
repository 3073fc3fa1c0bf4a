#pragma once
// The ZeroMQ side of a link: one ROUTER (coordinator) or DEALER (node) with CURVE, the handler that admits keys, and
// the monitor that tells of lost connections.

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "actors/links/link_options.hpp"
#include "actors/links/zap_handler.hpp"

namespace actors::links {

/// Nodes only: the coordinator took our key, it is time to say hello.
struct connection_made {
  messages::connection_id connection;
};

struct connection_lost {
  int fd;
};

/// Coordinator: an unknown key knocked. Node: the coordinator does not admit our key, or is not whom we look for.
struct key_refused {
  std::string detail;
};

using socket_event = std::variant<logic::received_frame, connection_made, connection_lost, key_refused>;

/// Not thread-safe: opened by one thread, then used by the link's thread alone.
class link_socket {
public:
  /// Binds or dials. Fails with `misconfigured` on a bad key or an address that cannot be had.
  static messages::expected<std::unique_ptr<link_socket>> open(const link_options& options);

  /// As bound, with the real port.
  std::string endpoint() const { return peers_.get(zmq::sockopt::last_endpoint); }

  /// Sleeps until there is an event, `wake_fd` is readable or the time is up.
  void wait(int wake_fd, std::chrono::milliseconds timeout);

  /// The next event, without waiting. What the monitor saw before a frame came is reported before that frame.
  std::optional<socket_event> next();

  /// Never blocks. Drops the frame if the connection is gone or its peer has stopped reading.
  void send(const messages::connection_id& to, const wire::bytes& header, const wire::bytes& body);

private:
  explicit link_socket(const link_options& options);
  void set_limits(const link_options& options);
  void listen(const link_options& options, const coordinator_role& role);
  void dial(const link_options& options, const node_role& role);
  void read_frame();
  void read_monitor();
  void on_monitor(std::uint16_t event, std::int32_t value);
  void on_failed_handshake();

  bool is_coordinator() const { return zap_.has_value(); }
  messages::connection_id dialled() const { return {std::to_string(dialled_)}; }

  zmq::context_t context_{1};  // one I/O thread, so that monitor events and frames keep their order
  zmq::socket_t peers_, monitor_;
  std::optional<zap_handler> zap_;       // the coordinator has one
  std::uint64_t dialled_ = 0;            // connections that a node has made so far
  std::uint32_t failed_handshakes_ = 0;  // of a node that has made none yet
  std::deque<socket_event> events_;
};

}  // namespace actors::links
