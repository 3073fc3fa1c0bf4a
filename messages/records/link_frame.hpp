#ifndef KERNELMESH_MESSAGES_RECORDS_LINK_FRAME_HPP
#define KERNELMESH_MESSAGES_RECORDS_LINK_FRAME_HPP
// What two nodes say to each other; messages/PROTOCOL.md explains it. One ZeroMQ message is two parts: a link_frame and
// a body, both MessagePack. The body is empty but for a call and a tell (the message) and an answer (the reply, if
// there is no failure).

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "messages/records/failure.hpp"
#include "messages/records/ids.hpp"

namespace messages {

/// The first number goes up with every change that an older peer would misread: such peers refuse each other. The
/// second one goes up with every addition that older peers ignore.
struct link_version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  void fields(auto& f) {
    f("major", major);
    f("minor", minor);
  }
  friend bool operator==(const link_version&, const link_version&) = default;
};

/// Spoken here.
inline constexpr link_version spoken_version{1, 0};

/// First frame of a node on each connection.
struct link_hello {
  static constexpr auto wire_name = "hello";
  link_version version;  ///< of the sender; a peer that does not say it is refused
  std::string build;     ///< of the program, for people
  node_name name;
  std::string instance;  ///< made up by the process when it starts: tells a return from a second node of that name
  std::chrono::sys_time<std::chrono::milliseconds> clock;  ///< the sender's, as it sends
  std::uint32_t window = 0;                                ///< calls the coordinator may have open with the node

  void fields(auto& f) {
    f("version", version);
    f("build", build);
    f("name", name);
    f("instance", instance);
    f("clock_ms", clock);
    f("window", window);
  }
  friend bool operator==(const link_hello&, const link_hello&) = default;
};

/// The coordinator's answer to hello: calls may flow.
struct link_welcome {
  static constexpr auto wire_name = "welcome";
  link_version version;
  std::string build;
  std::chrono::sys_time<std::chrono::milliseconds> clock;
  std::uint32_t window = 0;  ///< calls the node may have open with the coordinator

  void fields(auto& f) {
    f("version", version);
    f("build", build);
    f("clock_ms", clock);
    f("window", window);
  }
  friend bool operator==(const link_welcome&, const link_welcome&) = default;
};

/// The coordinator's other answer to hello. Frames that follow are ignored.
struct link_refusal {
  static constexpr auto wire_name = "refusal";
  failure reason;

  void fields(auto& f) { f("reason", reason); }
  friend bool operator==(const link_refusal&, const link_refusal&) = default;
};

/// Asks an actor of the peer. Answered exactly once.
struct link_call {
  static constexpr auto wire_name = "call";
  request_id id;
  actor_name actor;
  std::string message;                   ///< wire_name of the request in the body
  std::chrono::milliseconds timeout{0};  ///< what is left when it is sent; clocks of two hosts are never compared

  void fields(auto& f) {
    f("id", id);
    f("actor", actor);
    f("message", message);
    f("timeout_ms", timeout);
  }
  friend bool operator==(const link_call&, const link_call&) = default;
};

struct link_answer {
  static constexpr auto wire_name = "answer";
  request_id id;
  std::optional<messages::failure> failure;

  void fields(auto& f) {
    f("id", id);
    f("failure", failure);
  }
  friend bool operator==(const link_answer&, const link_answer&) = default;
};

/// How an open call gets on, from who will answer it.
struct link_progress {
  static constexpr auto wire_name = "progress";
  request_id id;
  double share = 0;  ///< 0 to 1, as far as known
  std::string text;

  void fields(auto& f) {
    f("id", id);
    f("share", share);
    f("text", text);
  }
  friend bool operator==(const link_progress&, const link_progress&) = default;
};

/// Tells an actor of the peer. Nothing comes back.
struct link_tell {
  static constexpr auto wire_name = "tell";
  actor_name actor;
  std::string message;  ///< wire_name of what is in the body

  void fields(auto& f) {
    f("actor", actor);
    f("message", message);
  }
  friend bool operator==(const link_tell&, const link_tell&) = default;
};

/// The last frame of who leaves in order: calls that it has not answered were given back, not carried out.
struct link_goodbye {
  static constexpr auto wire_name = "goodbye";
  failure reason;

  void fields(auto& f) { f("reason", reason); }
  friend bool operator==(const link_goodbye&, const link_goodbye&) = default;
};

struct link_frame {
  std::variant<link_hello, link_welcome, link_refusal, link_call, link_answer, link_progress, link_tell, link_goodbye>
      content;

  void fields(auto& f) { f("frame", content); }
  friend bool operator==(const link_frame&, const link_frame&) = default;
};

}  // namespace messages

#endif
