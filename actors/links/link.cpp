#include "actors/links/link.hpp"

#include <sys/eventfd.h>
#include <unistd.h>
#include <algorithm>
#include <random>

#include "actors/links/link_socket.hpp"
#include "messages/wire/wire.hpp"

namespace actors::links {

namespace {

/// For the last frames of who leaves, and the answer to them.
constexpr std::chrono::milliseconds farewell{1'000};

std::string new_instance() {
  std::random_device random;
  char text[40];
  std::snprintf(text, sizeof text, "%08x%08x%08x", random(), random(), random());
  return text;
}

logic::link_identity identity_in(const link_options& options) {
  auto node = std::get_if<node_role>(&options.role);
  return {.name = node ? node->name : logic::coordinator_name, .build = options.build, .instance = new_instance()};
}

std::chrono::milliseconds time_until(std::optional<logic::instant> deadline) {
  using namespace std::chrono;
  constexpr milliseconds longest = 1s;
  return deadline ? std::clamp(ceil<milliseconds>(*deadline - steady_clock::now()), milliseconds{0}, longest) : longest;
}

logic::link_protocol::wall_time wall_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

messages::expected<std::unique_ptr<link>> link::open(const link_options& options) {
  if (auto valid = options.validate(); !valid) return tl::unexpected{valid.error()};
  return link_socket::open(options).map([&](std::unique_ptr<link_socket>&& socket) {
    return std::unique_ptr<link>{new link{options, std::move(socket)}};
  });
}

link::link(const link_options& options, std::unique_ptr<link_socket> socket)
    : endpoint_(socket->endpoint()),
      socket_(std::move(socket)),
      on_event_(options.on_event),
      protocol_(identity_in(options), options.calls,
                {.send = [this](auto& to, auto& frame, auto& body) { socket_->send(to, wire::pack(frame), body); },
                 .on_event = options.on_event,
                 .wall_clock = wall_now}),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

link::~link() {
  close();
  ::close(wake_fd_);
}

// -- for any thread ---------------------------------------------------------------------------------------------------

void link::start() {
  thread_ = std::thread{[this] { run(); }};
}

void link::call(logic::outgoing_call call, logic::call_waiter who) {
  post([call = std::move(call), who = std::move(who)](logic::link_protocol& protocol) mutable {
    protocol.call(std::move(call), std::move(who), std::chrono::steady_clock::now());
  });
}

void link::tell(logic::outgoing_call message) {
  post([message = std::move(message)](logic::link_protocol& protocol) mutable {
    protocol.tell(std::move(message), std::chrono::steady_clock::now());
  });
}

void link::offer(messages::actor_name actor, logic::link_protocol::on_call handler) {
  post([actor = std::move(actor), handler = std::move(handler)](logic::link_protocol& protocol) mutable {
    protocol.offer(std::move(actor), std::move(handler));
  });
}

void link::withdraw(messages::actor_name actor) {
  post([actor = std::move(actor)](logic::link_protocol& protocol) { protocol.withdraw(actor); });
}

void link::answer(messages::call_token token, logic::call_outcome outcome) {
  post([token = std::move(token), outcome = std::move(outcome)](logic::link_protocol& protocol) mutable {
    protocol.answer(token, std::move(outcome));
  });
}

void link::progress(messages::call_token token, double share, std::string text) {
  post([token = std::move(token), share, text = std::move(text)](logic::link_protocol& protocol) {
    protocol.progress(token, share, text);
  });
}

void link::leave(const messages::failure& reason) {
  post([this, reason](logic::link_protocol& protocol) {
    protocol.leave(reason);
    leaves_at_ = std::chrono::steady_clock::now() + farewell;
  });
}

void link::close() {
  post([this](logic::link_protocol&) { closing_ = true; });
  if (thread_.joinable()) thread_.join();
  finish();
}

/// The thread has ended. From now on the protocol fails each call at once, on the caller's thread.
void link::finish() {
  std::lock_guard lock{mutex_};
  protocol_.close();
  socket_.reset();
  ended_ = true;
  for (auto& task : std::exchange(commands_, {})) task(protocol_);
}

void link::post(command task) {
  std::unique_lock lock{mutex_};
  if (ended_) return task(protocol_);
  commands_.push_back(std::move(task));
  bool first = commands_.size() == 1;
  lock.unlock();
  if (first) ::eventfd_write(wake_fd_, 1);
}

// -- on the link's thread ---------------------------------------------------------------------------------------------

void link::run() {
  auto awaited = [this] { return protocol_.is_awaited() && std::chrono::steady_clock::now() < leaves_at_; };
  for (run_commands(); !closing_ || awaited(); run_commands()) {
    auto deadline = protocol_.expire(std::chrono::steady_clock::now());
    if (auto event = socket_->next())
      std::visit([this](const auto& x) { on(x); }, *event);
    else
      socket_->wait(wake_fd_, time_until(deadline));
  }
}

void link::run_commands() {
  std::unique_lock lock{mutex_};
  auto tasks = std::exchange(commands_, {});
  lock.unlock();
  eventfd_t wakes = 0;
  if (!tasks.empty()) ::eventfd_read(wake_fd_, &wakes);
  for (auto& task : tasks) task(protocol_);
}

void link::on(const logic::received_frame& frame) { protocol_.received(frame, std::chrono::steady_clock::now()); }

void link::on(const connection_made& made) { protocol_.connected(made.connection); }

void link::on(const connection_lost& lost) { protocol_.lost(lost.fd); }

void link::on(const key_refused& refused) { on_event_({messages::link_event_kind::refused, {}, refused.detail}); }

}  // namespace actors::links
