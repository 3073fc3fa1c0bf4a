#pragma once
// Lets other nodes ask an actor of this one: the far end of proxy.hpp, and as generic.

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "actors/proxy.hpp"

namespace actors {

/// A message that says who sends it; the link knows better.
template <class Message>
concept names_node = requires(const Message& x, messages::node_name& name) {
  name = x.node;
};

template <class Handle>
class exporter_state;

template <class... Signatures>
class exporter_state<caf::typed_actor<Signatures...>> {
public:
  using handle = caf::typed_actor<Signatures...>;
  using pointer = messages::exporter_actor::stateful_pointer<exporter_state>;
  static inline const char* name = "exporter";

  explicit exporter_state(pointer self) : self_(self) {}
  ~exporter_state() { fail_all(); }

  messages::exporter_actor::behavior_type start(links::link* in, const handle& target) {
    link_ = in;
    target_ = target;
    self_->monitor(target_);
    self_->set_down_handler([this](const caf::down_msg&) { fail_all(); });
    return {[this](const messages::incoming_call& x) { dispatch(x); },
            [this](const messages::stage_progress& x) { pass_on(x); }};
  }

private:
  using attempt = std::pair<messages::stage_id, std::uint32_t>;

  template <class Signature>
  using request_of = typename messages::signature<Signature>::request;

  void dispatch(const messages::incoming_call& call) {
    bool known = ((call.message == request_of<Signatures>::wire_name && (serve<Signatures>(call), true)) || ...);
    if (!known)
      refuse(call, {messages::failure_code::unknown_actor,
                    "the actor does not take a \"" + call.message.substr(0, 64) + '"'});
  }

  template <class Signature>
  void serve(const messages::incoming_call& call) {
    using reply = typename messages::signature<Signature>::reply;
    auto request = wire::unpack<request_of<Signature>>(call.body);
    if (!request) return refuse(call, {messages::failure_code::unreadable, to_string(request.error())});
    if constexpr (names_node<request_of<Signature>>)
      if (request->node != call.node)
        return refuse(call, {messages::failure_code::refused, "it speaks for another node than itself"});
    if constexpr (std::is_void_v<reply>) {
      self_->send(target_, std::move(*request));
      if (call.token.id.value != 0) link_->answer(call.token, wire::bytes{});
    } else {
      forward<reply>(call, std::move(*request));
    }
  }

  template <class Reply, class Request>
  void forward(const messages::incoming_call& call, Request request) {
    if (call.token.id.value == 0) return;  // told, not asked
    attempt about;
    if constexpr (names_attempt<Request>) about = attempt_of(request);
    open_[call.token] = std::move(about);
    self_->request(target_, call.timeout, std::move(request))
        .then([this, to = call.token](const Reply& x) { settle(to, wire::pack(x)); },
              [this, to = call.token](const caf::error& x) { settle(to, tl::unexpected{messages::to_failure(x)}); });
  }

  void refuse(const messages::incoming_call& call, messages::failure why) {
    if (call.token.id.value != 0) link_->answer(call.token, tl::unexpected{std::move(why)});
  }

  void pass_on(const messages::stage_progress& x) {
    for (const auto& [token, about] : open_)
      if (about == attempt{x.stage, x.attempt}) link_->progress(token, x.share, x.text);
  }

  void settle(const messages::call_token& to, logic::call_outcome outcome) {
    if (open_.erase(to)) link_->answer(to, std::move(outcome));
  }

  /// When the target or the exporter ends; CAF would let the askers run into their timeouts.
  void fail_all() {
    for (const auto& [to, about] : std::exchange(open_, {}))
      link_->answer(to, messages::fail(messages::failure_code::actor_lost, "the actor died before it answered"));
  }

  pointer self_;
  links::link* link_ = nullptr;
  handle target_;
  std::map<messages::call_token, attempt> open_;  // and what each is about
};

/// Offers `target` to all peers under a name, until the link is closed or the name taken back. Returns who passes
/// progress on.
template <class... Signatures>
messages::exporter_actor export_actor(caf::actor_system& system, links::link& in, messages::actor_name name,
                                      const caf::typed_actor<Signatures...>& target) {
  using state = exporter_state<caf::typed_actor<Signatures...>>;
  messages::exporter_actor exporter = spawn_state<state>(system, &in, target);
  // Handles dropped do not end it: the timer of each request holds it until it fires, answered or not.
  auto end = [exporter](void*) { caf::anon_send_exit(exporter, caf::exit_reason::user_shutdown); };
  in.offer(std::move(name), [exporter, held = std::shared_ptr<void>{nullptr, end}](messages::incoming_call call) {
    caf::anon_send(exporter, std::move(call));
  });
  return exporter;
}

}  // namespace actors
