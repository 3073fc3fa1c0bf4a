#pragma once
// A node's connection to its peers: encrypted, both sides known by their keys. Knows no actor; actors/proxy.hpp and
// actors/exporter.hpp join it to them.

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "actors/links/link_options.hpp"

namespace actors::links {

class link_socket;
struct connection_made;
struct connection_lost;
struct key_refused;

/// Every member function may be called from any thread. Callbacks run on the link's own thread: they only post. Must
/// outlive the actor system whose proxies and exporters use it; see `close`.
class link {
public:
  /// Binds or dials, but does not talk yet. Fails with `misconfigured`.
  static messages::expected<std::unique_ptr<link>> open(const link_options& options);
  ~link();

  /// Starts the thread. What was offered before is there when the first peer joins.
  void start();

  /// Gives back, with the reason, what peers asked, and says goodbye; `close` then waits a second at most until they
  /// have it.
  void leave(const messages::failure& reason);

  /// Fails all open calls and each later one with node_lost, lets go of all handlers and ends the thread. Call it
  /// before the actor system ends: the system waits for its exporters, and the link holds them. A second call does
  /// nothing.
  void close();

  /// As bound, with the real port.
  const std::string& endpoint() const { return endpoint_; }

  /// Sends a request to an actor of another node. `who.done` runs exactly once, after `call.timeout` at the latest.
  void call(logic::outgoing_call call, logic::call_waiter who);

  /// Sends what nobody answers; dropped if the node is not connected.
  void tell(logic::outgoing_call message);

  /// What peers send to `actor` goes to `handler`, which must see to one `answer` for each call.
  void offer(messages::actor_name actor, logic::link_protocol::on_call handler);
  void withdraw(messages::actor_name actor);

  /// Answers an incoming call, or tells how it gets on. Does nothing if its asker is gone.
  void answer(messages::call_token token, logic::call_outcome outcome);
  void progress(messages::call_token token, double share, std::string text);

private:
  using command = std::function<void(logic::link_protocol&)>;

  link(const link_options& options, std::unique_ptr<link_socket> socket);
  void post(command task);
  void finish();
  void run();
  void run_commands();
  void on(const logic::received_frame& frame);
  void on(const connection_made& made);
  void on(const connection_lost& lost);
  void on(const key_refused& refused);

  std::string endpoint_;
  std::unique_ptr<link_socket> socket_;
  std::function<void(const messages::link_event&)> on_event_;
  logic::link_protocol protocol_;

  int wake_fd_;
  std::mutex mutex_;
  std::vector<command> commands_;  // guarded by mutex_
  bool ended_ = false;             // guarded by mutex_: no thread
  bool closing_ = false;           // touched by commands only
  logic::instant leaves_at_{};     // touched by commands only
  std::thread thread_;
};

}  // namespace actors::links
