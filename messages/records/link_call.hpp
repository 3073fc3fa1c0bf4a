#ifndef KERNELMESH_MESSAGES_RECORDS_LINK_CALL_HPP
#define KERNELMESH_MESSAGES_RECORDS_LINK_CALL_HPP
// What a link tells the actors beside it. These never leave the process.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "messages/records/failure.hpp"
#include "messages/records/ids.hpp"
#include "messages/wire/document.hpp"

namespace messages {

/// Says to whom an answer goes. Worthless once that connection is down.
struct call_token {
  connection_id connection;
  request_id id;  ///< 0: of a tell, which nobody answers

  void fields(auto& f) {
    f("connection", connection);
    f("id", id);
  }
  friend auto operator<=>(const call_token&, const call_token&) = default;
};

/// A call or a tell of a peer.
struct incoming_call {
  static constexpr auto wire_name = "incoming_call";
  call_token token;
  node_name node;       ///< who sent it, as its key says
  std::string message;  ///< wire_name of what is in the body
  wire::bytes body;
  std::chrono::milliseconds timeout{0};

  void fields(auto& f) {
    f("token", token);
    f("node", node);
    f("message", message);
    f("body", body);
    f("timeout_ms", timeout);
  }
  friend bool operator==(const incoming_call&, const incoming_call&) = default;
};

/// The outcome of a call of ours.
struct call_answered {
  static constexpr auto wire_name = "call_answered";
  request_id id;  ///< the proxy's own number
  wire::bytes body;
  std::optional<messages::failure> failure;

  void fields(auto& f) {
    f("id", id);
    f("body", body);
    f("failure", failure);
  }
  friend bool operator==(const call_answered&, const call_answered&) = default;
};

/// How a call of ours gets on.
struct call_progressed {
  static constexpr auto wire_name = "call_progressed";
  request_id id;  ///< the proxy's own number
  double share = 0;
  std::string text;

  void fields(auto& f) {
    f("id", id);
    f("share", share);
    f("text", text);
  }
  friend bool operator==(const call_progressed&, const call_progressed&) = default;
};

enum class link_event_kind : std::uint8_t { unknown, joined, lost, refused, bad_frame };
constexpr auto enum_names(link_event_kind) {
  return std::to_array<std::string_view>({"unknown", "joined", "lost", "refused", "bad_frame"});
}

/// What becomes of a link's peers.
struct link_event {
  static constexpr auto wire_name = "link_event";
  link_event_kind kind = link_event_kind::unknown;
  node_name node;                             ///< empty if not known
  std::string detail;                         ///< one clause
  std::chrono::milliseconds clock_offset{0};  ///< of `joined`: how far the peer's clock is ahead of ours, about

  void fields(auto& f) {
    f("kind", kind);
    f("node", node);
    f("detail", detail);
    f("clock_offset_ms", clock_offset);
  }
  friend bool operator==(const link_event&, const link_event&) = default;
};

}  // namespace messages

#endif
