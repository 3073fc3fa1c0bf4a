#pragma once
// What goes to one peer and the calls to it that have no answer yet: few enough under way, none for ever, each ended
// exactly once.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "messages/records/failure.hpp"
#include "messages/records/ids.hpp"
#include "messages/wire/document.hpp"

namespace actors::logic {

/// Of the monotonic clock.
using instant = std::chrono::steady_clock::time_point;

struct call_target {
  messages::node_name node;
  messages::actor_name actor;
};

struct outgoing_call {
  call_target to;
  std::string message;  ///< wire_name of what is in the body
  wire::bytes body;
  std::chrono::milliseconds timeout{0};
};

/// The reply as MessagePack, or why there is none.
using call_outcome = messages::expected<wire::bytes>;

/// Who waits for a call.
struct call_waiter {
  std::function<void(call_outcome)> done;                                 ///< runs exactly once; none: it is a tell
  std::function<void(double share, const std::string& text)> progressed;  ///< any number, before `done`; or none
};

struct call_limits {
  std::size_t window = 256;      ///< calls under way to a peer; what the peer grants if that is less
  std::size_t backlog = 16'384;  ///< calls that may wait for the window; one more is overloaded
  std::chrono::milliseconds longest = std::chrono::hours{24};  ///< timeouts above it are cut, ours and theirs
  std::size_t body_bytes = 15u << 20;                          ///< most that one message may carry
};

/// Plain code: no socket, no thread; time is an argument.
class call_window {
public:
  explicit call_window(const call_limits& limits) : limits_(limits) {}

  /// `who.done` runs inside a member function of this class: here already if the backlog is full.
  void add(messages::request_id id, outgoing_call call, call_waiter who, instant now);

  /// What waits for nothing but its turn behind what was added before.
  void add_tell(messages::request_id id, outgoing_call call);

  struct ready_call {
    messages::request_id id;
    outgoing_call call;  ///< with the time that is left
    bool is_tell = false;
  };

  /// Takes the next one that may be sent now.
  std::optional<ready_call> next(instant now);

  /// The peer answered. An id that is not under way is ignored: it is late, or made up.
  void finish(messages::request_id id, call_outcome outcome);
  void progress(messages::request_id id, double share, const std::string& text);

  /// Ends what is out of time with deadline_exceeded.
  void expire(instant now);

  /// Ends everything.
  void fail_all(const messages::failure& reason);

  std::optional<instant> next_deadline() const;
  std::size_t under_way() const { return open_.size() - waiting_.size(); }

private:
  struct open_call {
    call_waiter who;
    std::optional<instant> deadline;  // a tell has none
    std::optional<outgoing_call> unsent;
  };
  void end(std::map<messages::request_id, open_call>::iterator call, call_outcome outcome);

  call_limits limits_;
  std::map<messages::request_id, open_call> open_;
  std::set<messages::request_id> waiting_;  // ids grow, so this is first come, first served
  std::set<std::pair<instant, messages::request_id>> deadlines_;
};

}  // namespace actors::logic
