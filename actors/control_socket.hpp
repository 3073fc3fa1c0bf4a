#pragma once
// A node's control socket: a unix socket in a folder of mode 0700, MessagePack control_request and control_reply.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "messages/records/control.hpp"

namespace actors {

/// Answers requests on a thread of its own until it is destroyed. Garbage is answered with `unreadable`.
class control_server {
public:
  using handler = std::function<messages::control_reply(const messages::control_request&)>;

  /// Listens on FOLDER/PID.control. Fails with misconfigured (a path that is too long for a socket) or storage.
  static messages::expected<std::unique_ptr<control_server>> open(const std::filesystem::path& folder, handler answer);
  ~control_server();

private:
  struct thread;
  explicit control_server(std::unique_ptr<thread> x);
  std::unique_ptr<thread> thread_;
};

/// Sockets of nodes that live; those that dead processes left are removed.
std::vector<std::filesystem::path> control_sockets(const std::filesystem::path& folder);

/// Failures: deadline_exceeded, unreadable.
messages::expected<messages::control_reply> ask_control(const std::filesystem::path& socket,
                                                        const messages::control_request& request,
                                                        std::chrono::milliseconds limit = std::chrono::seconds{5});

}  // namespace actors
