#include "actors/links/link_socket.hpp"

#include <cstring>

namespace actors::links {

using devices::worker::zeromq::receive_parts;

namespace {

constexpr auto monitor_endpoint = "inproc://monitor";
constexpr auto watched = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED
                         | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;

/// One or two may fail because a coordinator ends or begins just then.
constexpr std::uint32_t most_failed_handshakes = 3;

int count(std::chrono::milliseconds x) { return static_cast<int>(x.count()); }

zmq::socket_type type_for(const link_options& options) {
  return std::holds_alternative<coordinator_role>(options.role) ? zmq::socket_type::router : zmq::socket_type::dealer;
}

wire::bytes copied(const zmq::message_t& part) {
  auto first = part.data<std::byte>();
  return {first, first + part.size()};
}

/// What ZeroMQ knows about a message's sender; empty if it does not know it.
std::string property(zmq::message_t& part, const char* name) {
  auto text = zmq_msg_gets(part.handle(), name);
  return text ? text : "";
}

}  // namespace

// -- opening ----------------------------------------------------------------------------------------------------------

messages::expected<std::unique_ptr<link_socket>> link_socket::open(const link_options& options) try {
  return std::unique_ptr<link_socket>{new link_socket{options}};
} catch (const zmq::error_t& e) {
  auto what = std::holds_alternative<coordinator_role>(options.role) ? "cannot listen on " : "cannot dial ";
  return messages::fail(messages::failure_code::misconfigured, what + options.address + ": " + e.what());
}

link_socket::link_socket(const link_options& options)
    : peers_(context_, type_for(options)), monitor_(context_, zmq::socket_type::pair) {
  if (zmq_socket_monitor(peers_.handle(), monitor_endpoint, watched) != 0) throw zmq::error_t{};
  monitor_.connect(monitor_endpoint);
  set_limits(options);
  if (auto role = std::get_if<coordinator_role>(&options.role)) listen(options, *role);
  if (auto role = std::get_if<node_role>(&options.role)) dial(options, *role);
}

void link_socket::set_limits(const link_options& options) {
  peers_.set(zmq::sockopt::linger, 0);
  peers_.set(zmq::sockopt::maxmsgsize, options.message_bytes);
  peers_.set(zmq::sockopt::sndhwm, static_cast<int>(4 * options.calls.window + 16));
  peers_.set(zmq::sockopt::heartbeat_ivl, count(options.heartbeat));
  peers_.set(zmq::sockopt::heartbeat_timeout, count(options.silence));
  peers_.set(zmq::sockopt::heartbeat_ttl, count(options.silence));
  peers_.set(zmq::sockopt::handshake_ivl, count(options.handshake));
  peers_.set(zmq::sockopt::curve_publickey, options.keys.open.value);
  peers_.set(zmq::sockopt::curve_secretkey, options.keys.secret.value);
}

void link_socket::listen(const link_options& options, const coordinator_role& role) {
  zap_.emplace(context_, role.admit);  // before anybody can knock: without a handler ZeroMQ admits every key
  peers_.set(zmq::sockopt::curve_server, true);
  peers_.bind(*endpoint_of(options.address));
}

void link_socket::dial(const link_options& options, const node_role& role) {
  peers_.set(zmq::sockopt::curve_serverkey, role.coordinator.value);
  peers_.set(zmq::sockopt::immediate, true);  // a frame for a lost connection is dropped, not kept for the next one
  peers_.set(zmq::sockopt::reconnect_ivl, count(options.redial));
  peers_.set(zmq::sockopt::reconnect_ivl_max, count(options.silence));
  peers_.connect(*endpoint_of(options.address));
}

// -- traffic ----------------------------------------------------------------------------------------------------------

void link_socket::wait(int wake_fd, std::chrono::milliseconds timeout) {
  std::vector<zmq::pollitem_t> items{
      {peers_.handle(), 0, ZMQ_POLLIN, 0}, {monitor_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, wake_fd, ZMQ_POLLIN, 0}};
  if (zap_) items.push_back({zap_->socket().handle(), 0, ZMQ_POLLIN, 0});
  (void)zmq_poll(items.data(), static_cast<int>(items.size()), count(timeout));  // zmq::poll throws when a signal comes
}

std::optional<socket_event> link_socket::next() {
  if (events_.empty() && zap_)
    if (auto key = zap_->answer_next()) return key_refused{"a node with the unknown key " + key->value};
  if (events_.empty()) read_frame();
  if (events_.empty()) return std::nullopt;
  auto event = std::move(events_.front());
  events_.pop_front();
  return event;
}

/// The frame goes behind what the monitor says: its file descriptor may have been that of a connection since lost.
void link_socket::read_frame() {
  auto parts = receive_parts(peers_);
  read_monitor();
  if (parts.empty()) return;
  logic::received_frame frame{
      .connection = dialled(), .fd = parts.back().get(ZMQ_SRCFD), .key = logic::coordinator_name};
  if (is_coordinator()) {
    frame.connection = {parts.front().to_string()};
    frame.key = {property(parts.back(), "User-Id")};
    parts.erase(parts.begin());
  }
  if (parts.size() == 2) {  // else both stay empty, which is no link_frame
    frame.header = copied(parts[0]);
    frame.body = copied(parts[1]);
  }
  events_.push_back(std::move(frame));
}

void link_socket::read_monitor() {
  for (auto parts = receive_parts(monitor_); !parts.empty(); parts = receive_parts(monitor_)) {
    std::uint16_t event = 0;
    std::int32_t value = 0;
    std::memcpy(&event, parts[0].data<char>(), sizeof event);
    std::memcpy(&value, parts[0].data<char>() + sizeof event, sizeof value);
    on_monitor(event, value);
  }
}

void link_socket::on_monitor(std::uint16_t event, std::int32_t value) {
  if (event == ZMQ_EVENT_DISCONNECTED) events_.push_back(connection_lost{value});
  if (is_coordinator()) return;  // zap_handler and hello tell the coordinator the rest
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
    events_.push_back(
        key_refused{"the coordinator does not know the key of this token (it was made for another "
                    "coordinator, or removed): make a new one there with `kernelmesh certs new NAME`"});
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL || event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL)
    on_failed_handshake();
  if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
    (void)peers_.get(zmq::sockopt::events);  // lets the socket take note; the hello might find no connection yet
    ++dialled_;
    events_.push_back(connection_made{dialled()});
  }
}

/// Once it has worked, a coordinator that does not answer is one that will.
void link_socket::on_failed_handshake() {
  if (dialled_ > 0 || ++failed_handshakes_ < most_failed_handshakes) return;
  events_.push_back(
      key_refused{"who listens there does not have the coordinator's key of this token: ask for a new "
                  "one, `kernelmesh certs token NAME`"});
}

void link_socket::send(const messages::connection_id& to, const wire::bytes& header, const wire::bytes& body) {
  constexpr auto more = zmq::send_flags::sndmore | zmq::send_flags::dontwait;
  if (is_coordinator() ? !peers_.send(zmq::buffer(to.value), more) : to != dialled()) return;
  if (peers_.send(zmq::buffer(header), more)) peers_.send(zmq::buffer(body), zmq::send_flags::dontwait);
}

}  // namespace actors::links
