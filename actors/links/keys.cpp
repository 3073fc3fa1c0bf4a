#include "actors/links/keys.hpp"

#include <algorithm>
#include <cstdlib>

#include "devices/worker/zmq.hpp"
#include "messages/records/content_hash.hpp"
#include "messages/wire/base64.hpp"
#include "messages/wire/wire.hpp"

namespace actors::links {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

constexpr std::size_t key_length = 40;
constexpr std::size_t key_bytes = 32;
constexpr std::string_view token_head = "km1-";
constexpr std::size_t sum_length = 8;

bool is_key(const std::string& x) {
  std::uint8_t bytes[key_bytes];
  return x.size() == key_length && zmq_z85_decode(bytes, x.c_str()) != nullptr;
}

/// RFC 4648 section 5, without padding.
std::string to_url_text(std::string x) {
  std::ranges::replace(x, '+', '-');
  std::ranges::replace(x, '/', '_');
  x.erase(std::ranges::find(x, '='), x.end());
  return x;
}

std::string from_url_text(std::string x) {
  std::ranges::replace(x, '-', '+');
  std::ranges::replace(x, '_', '/');
  x.append((4 - x.size() % 4) % 4, '=');
  return x;
}

auto no_token(const std::string& why) {
  return fail(failure_code::bad_input, "this is no token: " + why + "; `kernelmesh certs token NAME` prints one");
}

}  // namespace

key_pair make_key_pair() {
  char open[key_length + 1], secret[key_length + 1];
  if (zmq_curve_keypair(open, secret) != 0) std::abort();
  return {{open}, {secret}};
}

expected<key_pair> pair_of(const messages::secret_key& secret) {
  char open[key_length + 1];
  if (!is_key(secret.value) || zmq_curve_public(open, secret.value.c_str()) != 0)
    return fail(failure_code::bad_input, "the secret key is not one of 40 characters");
  return key_pair{{open}, secret};
}

std::string token_of(const messages::join_ticket& x) {
  auto text = to_url_text(wire::base64_encode(wire::pack(x)));
  return std::string{token_head} + text + '-' + messages::content_hash(text).substr(0, sum_length);
}

expected<messages::join_ticket> read_token(const std::string& token) {
  if (!token.starts_with(token_head)) return no_token("it does not begin with \"" + std::string{token_head} + '"');
  auto rest = token.substr(token_head.size());
  if (rest.size() < sum_length + 1 || rest[rest.size() - sum_length - 1] != '-') return no_token("a part is missing");
  auto text = rest.substr(0, rest.size() - sum_length - 1);
  if (messages::content_hash(text).substr(0, sum_length) != rest.substr(rest.size() - sum_length))
    return no_token("a part is missing, or a letter was changed");
  wire::bytes bytes;
  if (!wire::base64_decode(from_url_text(text), bytes)) return no_token("it is no base64");
  auto ticket = wire::unpack<messages::join_ticket>(bytes, {.message_bytes = 4096, .memory_bytes = 4096, .depth = 4});
  if (!ticket) return no_token(to_string(ticket.error()));
  if (ticket->version != 1) return no_token("it was made by a newer kernelmesh");
  if (!is_key(ticket->server.value) || !pair_of(ticket->secret) || ticket->name.value.empty()
      || ticket->address.empty())
    return no_token("address, name or a key is missing in it");
  return *std::move(ticket);
}

}  // namespace actors::links
