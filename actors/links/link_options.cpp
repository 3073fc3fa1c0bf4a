#include "actors/links/link_options.hpp"

#include <charconv>

namespace actors::links {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

constexpr std::string_view scheme = "tcp://";

bool is_port(std::string_view text) {
  if (text == "*") return true;
  unsigned port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port >= 1
         && port <= 65'535;  // ZeroMQ wraps around
}

}  // namespace

expected<std::string> endpoint_of(const std::string& address) {
  auto text = address.starts_with(scheme) ? address.substr(scheme.size()) : address;
  auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || !is_port(std::string_view{text}.substr(colon + 1))
      || text.find('/') != std::string::npos)
    return fail(failure_code::misconfigured, '"' + address.substr(0, 200)
                                                 + "\" is no address; write HOST:PORT, such as 10.0.0.1:7400, with a "
                                                   "port from 1 to 65535");
  return std::string{scheme} + text;
}

bool is_loopback(const std::string& endpoint) {
  auto host = endpoint.substr(endpoint.starts_with(scheme) ? scheme.size() : 0);
  host = host.substr(0, host.rfind(':'));
  bool numbers = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "[::1]" || (host.starts_with("127.") && numbers);
}

expected<void> link_options::validate() const {
  if (calls.window == 0 || calls.window > 65'536)
    return fail(failure_code::misconfigured, "the window of a link must be from 1 to 65536");
  if (message_bytes < static_cast<std::int64_t>(calls.body_bytes) + (64 << 10))
    return fail(failure_code::misconfigured, "a link's messages must have room for a body and its head");
  if (heartbeat.count() <= 0 || silence < 2 * heartbeat)
    return fail(failure_code::misconfigured, "listen.silence must be at least two heartbeats");
  auto node = std::get_if<node_role>(&role);
  if (node && (node->name.value.empty() || node->name == logic::coordinator_name))
    return fail(failure_code::misconfigured, "a node cannot be named \"" + node->name.value + '"');
  if (auto endpoint = endpoint_of(address); !endpoint) return tl::unexpected{endpoint.error()};
  return {};
}

}  // namespace actors::links
