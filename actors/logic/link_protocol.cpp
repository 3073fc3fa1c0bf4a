#include "actors/logic/link_protocol.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "messages/wire/wire.hpp"

namespace actors::logic {

using messages::failure;
using messages::failure_code;
using messages::link_event_kind;

namespace {

constexpr std::size_t longest_name = 64;

std::string text_of(const messages::link_version& x) { return std::to_string(x.major) + '.' + std::to_string(x.minor); }

/// Names come from outside, and go into sentences.
std::string in_marks(const std::string& name) { return '"' + name.substr(0, 80) + '"'; }

}  // namespace

bool key_admits(const messages::node_name& key_name, const messages::node_name& node) {
  auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; };
  const auto& name = node.value;
  if (key_name.value.empty() || node == coordinator_name || name.size() > longest_name) return false;
  if (!std::ranges::all_of(name, plain) || name.ends_with('.')) return false;
  return node == key_name || name.starts_with(key_name.value + '.');
}

// -- what actors ask for ----------------------------------------------------------------------------------------------

void link_protocol::call(outgoing_call call, call_waiter who, instant now) {
  auto to = find(call.to.node);
  if (to == peers_.end())
    return who.done(
        messages::fail(failure_code::node_lost, "node " + in_marks(call.to.node.value) + " is not connected"));
  if (call.body.size() > limits_.body_bytes)
    return who.done(messages::fail(failure_code::overloaded, "a request of " + std::to_string(call.body.size())
                                                                 + " bytes is more than a link carries"));
  to->second.calls.add({++last_request_}, std::move(call), std::move(who), now);
  send_ready(to, now);
}

void link_protocol::tell(outgoing_call message, instant now) {
  auto to = find(message.to.node);
  if (to == peers_.end() || message.body.size() > limits_.body_bytes) return;
  to->second.calls.add_tell({++last_request_}, std::move(message));
  send_ready(to, now);
}

void link_protocol::offer(messages::actor_name actor, on_call handler) {
  if (!closed_) offers_[std::move(actor)] = std::move(handler);
}

void link_protocol::answer(const messages::call_token& token, call_outcome outcome) {
  auto to = peers_.find(token.connection);
  if (to == peers_.end() || to->second.serving.erase(token.id) == 0) return;
  if (outcome && outcome->size() > limits_.body_bytes)
    outcome = messages::fail(failure_code::overloaded,
                             "a reply of " + std::to_string(outcome->size()) + " bytes is more than a link carries");
  messages::link_answer answer{.id = token.id};
  if (!outcome) answer.failure = outcome.error();
  out_.send(token.connection, {answer}, outcome ? *outcome : wire::bytes{});
}

void link_protocol::progress(const messages::call_token& token, double share, const std::string& text) {
  auto to = peers_.find(token.connection);
  if (to == peers_.end() || !to->second.serving.contains(token.id)) return;
  out_.send(token.connection, {messages::link_progress{token.id, share, text}}, {});
}

// -- what happens on the socket ---------------------------------------------------------------------------------------

void link_protocol::connected(const messages::connection_id& coordinator) {
  messages::link_hello hello{self_.version, self_.build, self_.name, self_.instance, out_.wall_clock(), granted()};
  out_.send(coordinator, {hello}, {});
}

void link_protocol::received(const received_frame& frame, instant now) {
  constexpr wire::limits limits{.message_bytes = 64 << 10, .memory_bytes = 64 << 10, .depth = 8};
  auto header = wire::unpack<messages::link_frame>(frame.header, limits);
  if (!header) return drop(frame, to_string(header.error()));
  std::visit([&](const auto& content) { on(frame, content, now); }, header->content);
}

void link_protocol::lost(int fd) {
  auto gone = std::ranges::find_if(peers_, [&](const auto& x) { return x.second.fd == fd; });
  if (gone != peers_.end()) lose(gone, {failure_code::node_lost, "the connection went down"});
}

std::string link_protocol::other_version(const std::string& who, const messages::link_version& spoken) const {
  return who + " speaks version " + text_of(spoken) + " of the link protocol, this side " + text_of(self_.version)
         + ": both need the same first number, so install the same release on both";
}

/// Empty: it may join.
std::string link_protocol::why_not(const received_frame& from, const messages::link_hello& hello) {
  auto who = "node " + in_marks(hello.name.value);
  if (hello.version.major != self_.version.major)
    return other_version(who + " (" + hello.build.substr(0, 80) + ")", hello.version);
  if (!key_admits(from.key, hello.name))
    return "a node says that it is " + in_marks(hello.name.value) + ", but its key was made for "
           + in_marks(from.key.value) + ": that is its name, with a dot and more behind it if there are several";
  auto before = find(hello.name);
  if (before != peers_.end() && before->second.instance != hello.instance)
    return who + " has joined from another process: give each a name of its own, --name "
           + in_marks(from.key.value + ".SOMETHING");
  return {};
}

void link_protocol::on(const received_frame& from, const messages::link_hello& hello, instant) {
  if (!self_.is_coordinator()) return drop(from, "a coordinator said hello");
  if (auto why = why_not(from, hello); !why.empty()) return refuse(from, hello.name, why);
  if (auto before = find(hello.name); before != peers_.end()) lose(before, {failure_code::node_lost, "it joined anew"});
  messages::link_welcome welcome{self_.version, self_.build, out_.wall_clock(), granted()};
  out_.send(from.connection, {welcome}, {});
  join(from, {hello.name, from.key, hello.instance, from.fd, window_of(hello.window)}, hello.clock);
}

void link_protocol::on(const received_frame& from, const messages::link_welcome& welcome, instant) {
  if (self_.is_coordinator() || peers_.contains(from.connection)) return drop(from, "welcome without a hello");
  if (welcome.version.major != self_.version.major)
    return out_.on_event({link_event_kind::refused, coordinator_name,
                          other_version("the coordinator (" + welcome.build.substr(0, 80) + ")", welcome.version)});
  join(from, {coordinator_name, from.key, {}, from.fd, window_of(welcome.window)}, welcome.clock);
}

void link_protocol::on(const received_frame& from, const messages::link_refusal& refusal, instant) {
  if (self_.is_coordinator()) return drop(from, "a node sent a refusal");
  out_.on_event({link_event_kind::refused, coordinator_name, refusal.reason.detail});
}

void link_protocol::on(const received_frame& from, const messages::link_call& call, instant) {
  auto asker = joined(from);
  if (asker == peers_.end()) return drop(from, "call before welcome");
  messages::call_token token{from.connection, call.id};
  if (call.id.value == 0 || !asker->second.serving.insert(call.id).second)
    return drop(from, "call with an id that is in use");
  if (asker->second.serving.size() > 2 * limits_.window)  // twice: a call that the peer gave up on may still run here
    return answer(token, messages::fail(failure_code::overloaded, "more calls than were granted"));
  auto offered = offers_.find(call.actor);
  if (offered == offers_.end())
    return answer(token, messages::fail(failure_code::unknown_actor, "no actor " + in_marks(call.actor.value)));
  auto timeout = std::clamp(call.timeout, std::chrono::milliseconds{0}, limits_.longest);
  offered->second({token, asker->second.name, call.message, from.body, timeout});
}

void link_protocol::on(const received_frame& from, const messages::link_answer& answer, instant now) {
  auto asked = joined(from);
  if (asked == peers_.end()) return drop(from, "answer before welcome");
  asked->second.calls.finish(answer.id, answer.failure ? call_outcome{tl::unexpected{*answer.failure}} : from.body);
  send_ready(asked, now);
}

void link_protocol::on(const received_frame& from, const messages::link_progress& progress, instant) {
  auto asked = joined(from);
  if (asked == peers_.end()) return drop(from, "progress before welcome");
  asked->second.calls.progress(progress.id, progress.share, progress.text);
}

void link_protocol::on(const received_frame& from, const messages::link_tell& tell, instant) {
  auto teller = joined(from);
  if (teller == peers_.end()) return drop(from, "tell before welcome");
  auto offered = offers_.find(tell.actor);
  if (offered == offers_.end()) return;  // it may have been taken back since
  offered->second({{from.connection, {0}}, teller->second.name, tell.message, from.body, {}});
}

void link_protocol::on(const received_frame& from, const messages::link_goodbye& goodbye, instant) {
  auto gone = joined(from);
  if (gone == peers_.end()) return drop(from, "goodbye before welcome");
  if (!leaving_) out_.send(from.connection, {messages::link_goodbye{goodbye.reason}}, {});  // all of it has arrived
  lose(gone, {failure_code::interrupted, "it left: " + goodbye.reason.detail.substr(0, 200)});
}

// -- peers ------------------------------------------------------------------------------------------------------------

call_window link_protocol::window_of(std::uint32_t granted) const {
  auto limits = limits_;
  limits.window = std::min<std::size_t>(limits_.window, granted);
  return call_window{limits};
}

void link_protocol::join(const received_frame& from, peer as, wall_time clock) {
  auto name = as.name;
  peers_.insert_or_assign(from.connection, std::move(as));
  out_.on_event({link_event_kind::joined, name, {}, clock - out_.wall_clock()});
}

void link_protocol::lose(peer_table::iterator gone, const failure& why) {
  auto peer = peers_.extract(gone);
  const auto& name = peer.mapped().name;
  if (!leaving_) out_.on_event({link_event_kind::lost, name, why.detail});  // first: nothing more is sent there
  peer.mapped().calls.fail_all({why.code, "node " + in_marks(name.value) + ": " + why.detail});
}

void link_protocol::refuse(const received_frame& from, const messages::node_name& who, const std::string& why) {
  out_.send(from.connection, {messages::link_refusal{{failure_code::refused, why}}}, {});
  out_.on_event({link_event_kind::refused, who, why});
}

void link_protocol::drop(const received_frame& from, const std::string& why) {
  out_.on_event({link_event_kind::bad_frame, from.key, why});
}

void link_protocol::send_ready(peer_table::iterator to, instant now) {
  while (auto ready = to->second.calls.next(now)) {
    auto& [id, call, is_tell] = *ready;
    if (is_tell)
      out_.send(to->first, {messages::link_tell{call.to.actor, std::move(call.message)}}, call.body);
    else
      out_.send(to->first, {messages::link_call{id, call.to.actor, std::move(call.message), call.timeout}}, call.body);
  }
}

link_protocol::peer_table::iterator link_protocol::joined(const received_frame& from) {
  auto peer = peers_.find(from.connection);
  return peer != peers_.end() && peer->second.key == from.key ? peer : peers_.end();
}

link_protocol::peer_table::iterator link_protocol::find(const messages::node_name& name) {
  return std::ranges::find_if(peers_, [&](const auto& x) { return x.second.name == name; });
}

// -- what passes ------------------------------------------------------------------------------------------------------

std::optional<instant> link_protocol::expire(instant now) {
  std::optional<instant> next;
  for (auto peer = peers_.begin(); peer != peers_.end(); ++peer) {
    peer->second.calls.expire(now);
    send_ready(peer, now);
    auto deadline = peer->second.calls.next_deadline();
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

void link_protocol::leave(const failure& reason) {
  leaving_ = true;
  for (auto& [connection, peer] : peers_) {
    for (auto id : std::set{peer.serving}) answer({connection, id}, tl::unexpected{reason});
    out_.send(connection, {messages::link_goodbye{reason}}, {});
  }
}

void link_protocol::close() {
  closed_ = true;
  for (auto& [connection, peer] : std::exchange(peers_, {}))
    peer.calls.fail_all({failure_code::node_lost, "the link to node " + in_marks(peer.name.value) + " was closed"});
  offers_.clear();
}

}  // namespace actors::logic
