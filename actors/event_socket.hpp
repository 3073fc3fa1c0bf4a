#pragma once
// Where a node's events can be subscribed to: one MessagePack `event` a message.

#include <memory>
#include <string>

#include "messages/records/event.hpp"
#include "messages/records/failure.hpp"

namespace actors {

/// A publisher. Never blocks: a subscriber that is too slow misses events.
class event_socket {
public:
  /// Closed: publish does nothing.
  event_socket();
  event_socket(event_socket&&) noexcept;
  event_socket& operator=(event_socket&&) noexcept;
  ~event_socket();

  /// @param endpoint "ipc:///path"; the folder must be private. Fails with misconfigured.
  static messages::expected<event_socket> open(const std::string& endpoint);

  void publish(const messages::event& x);

private:
  struct socket;
  std::unique_ptr<socket> socket_;
};

}  // namespace actors
