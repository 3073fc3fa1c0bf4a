#include "actors/event_socket.hpp"

#include "devices/worker/zmq.hpp"
#include "messages/wire/wire.hpp"

namespace actors {

using namespace messages;

struct event_socket::socket {
  zmq::context_t context{1};
  zmq::socket_t publisher{context, zmq::socket_type::pub};
};

event_socket::event_socket() = default;
event_socket::event_socket(event_socket&&) noexcept = default;
event_socket& event_socket::operator=(event_socket&&) noexcept = default;
event_socket::~event_socket() = default;

expected<event_socket> event_socket::open(const std::string& endpoint) {
  event_socket result;
  try {
    result.socket_ = std::make_unique<socket>();
    result.socket_->publisher.set(zmq::sockopt::linger, 0);
    result.socket_->publisher.set(zmq::sockopt::sndhwm, 1000);
    devices::worker::zeromq::refuse_peers_without_greeting(result.socket_->publisher);
    result.socket_->publisher.bind(endpoint);
  } catch (const zmq::error_t& e) {
    return fail(failure_code::misconfigured, "cannot publish events on " + endpoint + ": " + e.what());
  }
  return result;
}

void event_socket::publish(const event& x) {
  if (!socket_) return;
  auto body = wire::pack(x);
  try {
    socket_->publisher.send(zmq::buffer(body.data(), body.size()), zmq::send_flags::dontwait);
  } catch (const zmq::error_t&) {  // only when the context ends
  }
}

}  // namespace actors
