#pragma once
// Stands for an actor of another node: the same typed handle, so a caller does not know where the actor is. There is
// one proxy for all protocols; what it accepts and answers is read off the handle's own list of signatures.

#include <chrono>
#include <functional>
#include <map>
#include <utility>
#include <variant>

#include "actors/caf.hpp"
#include "actors/links/link.hpp"
#include "messages/protocols/link.hpp"
#include "messages/records/stage.hpp"
#include "messages/wire/wire.hpp"

namespace actors {

struct proxy_options {
  std::chrono::milliseconds timeout{60'000};  ///< of each request; CAF does not tell us the asker's own
  messages::progress_taker_actor progress;    ///< hears how stages get on; or nobody
};

template <class Message>
concept names_attempt = requires(const Message& x) {
  std::pair{x.stage, x.attempt};
};

/// The stage and attempt a message is about; nothing if it is about none.
template <class Message>
auto attempt_of(const Message& x) {
  if constexpr (names_attempt<Message>)
    return std::pair{x.stage, x.attempt};
  else
    return std::monostate{};
}

/// A reply that names an attempt must name that of its request.
template <class Attempt, class Reply>
bool answers(const Attempt& asked, const Reply& reply) {
  auto named = attempt_of(reply);
  if constexpr (std::is_same_v<decltype(named), Attempt>)
    return named == asked;
  else
    return true;
}

template <class Message>
std::chrono::milliseconds time_for(const Message& x, const proxy_options& options) {
  if constexpr (requires { x.run_limit; })
    return logic::run_limits_at_most * x.run_limit + options.timeout;
  else
    return options.timeout;
}

template <class Handle>
class proxy_state;

template <class... Signatures>
class proxy_state<caf::typed_actor<Signatures...>> {
public:
  /// What callers see, and the link's answers.
  using actor = caf::typed_actor<Signatures..., messages::tell<messages::call_answered>,
                                 messages::tell<messages::call_progressed>>;
  using pointer = typename actor::template stateful_pointer<proxy_state>;
  static inline const char* name = "proxy";

  explicit proxy_state(pointer self) : self_(self) {}

  /// CAF would let the askers run into their timeouts.
  ~proxy_state() {
    for (auto& [id, open] : open_) open.settle(messages::fail(messages::failure_code::actor_lost, "the proxy ended"));
  }

  typename actor::behavior_type start(links::link* out, const logic::call_target& to, const proxy_options& options) {
    link_ = out;
    to_ = to;
    options_ = options;
    return {[this](const typename messages::signature<Signatures>::request& x) { return forward<Signatures>(x); }...,
            [this](messages::call_answered& x) { answered(x); },
            [this](const messages::call_progressed& x) { progressed(x); }};
  }

private:
  using outcome = logic::call_outcome;

  struct open_call {
    std::function<void(const outcome&)> settle;
    std::function<void(const messages::call_progressed&)> progressed;
  };

  template <class Signature, class Request>
  auto forward(const Request& request) -> caf::result<typename messages::signature<Signature>::reply> {
    using reply = typename messages::signature<Signature>::reply;
    if constexpr (std::is_void_v<reply>) {
      link_->tell({to_, Request::wire_name, wire::pack(request), {}});
      return caf::unit;
    } else {
      auto promise = self_->template make_response_promise<reply>();
      auto asked = attempt_of(request);
      send(request, {[promise, asked](const outcome& x) { deliver(promise, reply_in<reply>(x, asked)); },
                     [this, asked](const messages::call_progressed& x) { pass_on(x, asked); }});
      return promise;
    }
  }

  template <class Request>
  void send(const Request& request, open_call open) {
    messages::request_id id{++last_id_};
    open_.emplace(id, std::move(open));
    messages::answer_receiver_actor self{self_};
    link_->call({to_, Request::wire_name, wire::pack(request), time_for(request, options_)},
                {[id, self](outcome x) { post(self, id, std::move(x)); },
                 [id, self](double share, const std::string& text) {
                   caf::anon_send(self, messages::call_progressed{id, share, text});
                 }});
  }

  /// Runs on the link's thread.
  static void post(const messages::answer_receiver_actor& self, messages::request_id id, outcome x) {
    messages::call_answered message{.id = id};
    if (x)
      message.body = std::move(*x);
    else
      message.failure = std::move(x.error());
    caf::anon_send(self, std::move(message));
  }

  void answered(messages::call_answered& x) {
    auto open = std::move(open_.extract(x.id).mapped());
    open.settle(x.failure ? outcome{tl::unexpected{*x.failure}} : outcome{std::move(x.body)});
  }

  void progressed(const messages::call_progressed& x) {
    if (auto open = open_.find(x.id); open != open_.end()) open->second.progressed(x);
  }

  template <class Attempt>
  void pass_on(const messages::call_progressed& x, const Attempt& asked) {
    if constexpr (!std::is_same_v<Attempt, std::monostate>)
      if (options_.progress)
        self_->send(options_.progress, messages::stage_progress{asked.first, asked.second, x.share, x.text});
  }

  /// The reply, or why there is none that counts.
  template <class Reply, class Attempt>
  static messages::expected<Reply> reply_in(const outcome& x, const Attempt& asked) {
    using messages::failure_code;
    if (!x) return tl::unexpected{x.error()};
    auto reply = wire::unpack<Reply>(*x);
    if (!reply) return messages::fail(failure_code::unreadable, to_string(reply.error()));
    if (!answers(asked, *reply)) return messages::fail(failure_code::wrong_answer, "it names another stage or attempt");
    return *reply;
  }

  pointer self_;
  links::link* link_ = nullptr;
  logic::call_target to_;
  proxy_options options_;
  std::map<messages::request_id, open_call> open_;
  std::uint64_t last_id_ = 0;
};

/// @param out must outlive the system
template <class Handle>
Handle spawn_proxy(caf::actor_system& system, links::link& out, const logic::call_target& to,
                   const proxy_options& options = {}) {
  return spawn_state<proxy_state<Handle>>(system, &out, to, options);
}

}  // namespace actors
