#include "actors/links/zap_handler.hpp"

namespace actors::links {

using devices::worker::zeromq::receive_parts;

namespace {

/// Parts of a question: version, request id, domain, address, routing id, mechanism, credentials.
constexpr std::size_t id_part = 1, mechanism_part = 5, key_part = 6, part_count = 7;

messages::public_key key_in(const std::vector<zmq::message_t>& question) {
  constexpr std::size_t raw_key_bytes = 32;
  if (question.size() != part_count || question[mechanism_part].to_string_view() != "CURVE"
      || question[key_part].size() != raw_key_bytes)
    return {};
  char text[41];
  zmq_z85_encode(text, question[key_part].data<std::uint8_t>(), raw_key_bytes);
  return {text};
}

}  // namespace

zap_handler::zap_handler(zmq::context_t& context, admission admit)
    : socket_(context, zmq::socket_type::rep), admit_(std::move(admit)) {
  socket_.set(zmq::sockopt::linger, 0);
  socket_.bind("inproc://zeromq.zap.01");
}

std::optional<messages::public_key> zap_handler::answer_next() {
  auto question = receive_parts(socket_);
  if (question.empty()) return std::nullopt;
  auto key = key_in(question);
  auto name = key.value.empty() ? std::nullopt : admit_(key);
  std::string id = question.size() > id_part ? question[id_part].to_string() : "";
  for (const auto& part : {std::string{"1.0"}, id, std::string{name ? "200" : "400"},
                           std::string{name ? "OK" : "key not registered"}, name ? name->value : ""})
    socket_.send(zmq::buffer(part), zmq::send_flags::sndmore);
  socket_.send(zmq::message_t{}, zmq::send_flags::none);  // no metadata
  return name ? std::nullopt : std::optional{key};
}

}  // namespace actors::links
