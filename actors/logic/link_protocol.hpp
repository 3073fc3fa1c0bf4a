#pragma once
// Who has joined, what may be said by whom, and which calls are open: a link without its socket and its thread.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "actors/logic/call_window.hpp"
#include "messages/records/link_call.hpp"
#include "messages/records/link_frame.hpp"

namespace actors::logic {

/// What nodes call the coordinator. No node may join under it.
inline const messages::node_name coordinator_name{"coordinator"};

/// So many of its run limits may a stage take on another node: it may wait there behind two that were granted before
/// it, and whoever granted it takes it back before that.
constexpr int run_limits_at_most = 4;

/// A key admits the name that it was made for, and that name with a dot and more behind it: "pool", "pool.7". At most
/// 64 letters, digits, "-", "_" and ".".
bool key_admits(const messages::node_name& key_name, const messages::node_name& node);

/// A frame with what the socket knows about its sender.
struct received_frame {
  messages::connection_id connection;
  int fd = -1;              ///< of the TCP connection, for `lost`
  messages::node_name key;  ///< for whom the key of the connection was made
  wire::bytes header;       ///< a messages::link_frame, if the peer is honest
  wire::bytes body;
};

/// Who we are on a link.
struct link_identity {
  messages::node_name name;  ///< coordinator_name makes this the coordinator
  std::string build;         ///< of the program, for people
  std::string instance;      ///< of the process; a node's
  messages::link_version version = messages::spoken_version;

  bool is_coordinator() const { return name == coordinator_name; }
};

/// Plain code: frames leave through `send`, time is an argument, one thread.
class link_protocol {
public:
  using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

  struct outlets {
    /// A frame to a connection that is gone is dropped.
    std::function<void(const messages::connection_id&, const messages::link_frame&, const wire::bytes& body)> send;
    std::function<void(const messages::link_event&)> on_event;
    std::function<wall_time()> wall_clock;
  };
  using on_call = std::function<void(messages::incoming_call)>;

  link_protocol(link_identity self, const call_limits& limits, outlets out)
      : self_(std::move(self)), limits_(limits), out_(std::move(out)) {}

  // -- what actors ask for --------------------------------------------------------------------------------------------

  /// `who.done` runs exactly once: at once with node_lost if the node is not connected.
  void call(outgoing_call call, call_waiter who, instant now);

  /// Dropped if the node is not connected. Arrives behind all that was sent there before.
  void tell(outgoing_call message, instant now);

  /// What comes for `actor` goes to `handler`, which must see to one `answer` for each call. Nothing is kept after
  /// `close`.
  void offer(messages::actor_name actor, on_call handler);
  void withdraw(const messages::actor_name& actor) { offers_.erase(actor); }

  /// Does nothing where nobody waits any more.
  void answer(const messages::call_token& token, call_outcome outcome);
  void progress(const messages::call_token& token, double share, const std::string& text);

  // -- what happens on the socket -------------------------------------------------------------------------------------

  /// A node reached the coordinator: says hello.
  void connected(const messages::connection_id& coordinator);
  void received(const received_frame& frame, instant now);
  void lost(int fd);

  // -- what passes ----------------------------------------------------------------------------------------------------

  /// Ends the calls that are out of time; returns when to do it again, if nothing else happens.
  std::optional<instant> expire(instant now);

  /// Gives back, with the reason, what peers asked and says goodbye to them. Of what follows `on_event` hears nothing.
  void leave(const messages::failure& reason);

  /// Are there peers that have not said goodbye in turn? What was sent to them may still be on its way.
  bool is_awaited() const { return leaving_ && !peers_.empty(); }

  /// Fails every open call and each that follows, without a word to `on_event`, and lets go of the handlers.
  void close();

private:
  struct peer {
    messages::node_name name;
    messages::node_name key;
    std::string instance;
    int fd;
    call_window calls;                         // ours to the peer
    std::set<messages::request_id> serving{};  // the peer's that we have not answered
  };
  using peer_table = std::map<messages::connection_id, peer>;

  void on(const received_frame& from, const messages::link_hello& hello, instant now);
  void on(const received_frame& from, const messages::link_welcome& welcome, instant now);
  void on(const received_frame& from, const messages::link_refusal& refusal, instant now);
  void on(const received_frame& from, const messages::link_call& call, instant now);
  void on(const received_frame& from, const messages::link_answer& answer, instant now);
  void on(const received_frame& from, const messages::link_progress& progress, instant now);
  void on(const received_frame& from, const messages::link_tell& tell, instant now);
  void on(const received_frame& from, const messages::link_goodbye& goodbye, instant now);

  std::string why_not(const received_frame& from, const messages::link_hello& hello);
  std::string other_version(const std::string& who, const messages::link_version& spoken) const;
  void join(const received_frame& from, peer as, wall_time clock);
  void lose(peer_table::iterator gone, const messages::failure& why);
  void refuse(const received_frame& from, const messages::node_name& who, const std::string& why);
  void drop(const received_frame& from, const std::string& why);
  void send_ready(peer_table::iterator to, instant now);
  peer_table::iterator joined(const received_frame& from);
  peer_table::iterator find(const messages::node_name& name);
  call_window window_of(std::uint32_t granted) const;

  std::uint32_t granted() const { return static_cast<std::uint32_t>(limits_.window); }

  link_identity self_;
  call_limits limits_;
  outlets out_;
  peer_table peers_;  // joined ones only
  std::map<messages::actor_name, on_call> offers_;
  std::uint64_t last_request_ = 0;
  bool leaving_ = false;
  bool closed_ = false;
};

}  // namespace actors::logic
