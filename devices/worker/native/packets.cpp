#include "devices/worker/native/packets.hpp"

#include <sys/socket.h>
#include <cerrno>
#include <cstring>

#include "messages/wire/wire.hpp"

namespace devices::worker::native {

namespace {

struct loaded_packet {
  struct nothing {
    void fields(auto&) {}
  };
  nothing content;
  void fields(auto& f) { f("loaded", content); }
};

struct done_packet {
  std::uint64_t number = 0;
  void fields(auto& f) { f("done", number); }
};

struct timed_packet {
  std::uint64_t number = 0;
  std::chrono::nanoseconds device{0};
  void fields(auto& f) {
    f("done", number);
    f("device_ns", device);
  }
};

struct raised_packet {
  struct report {
    std::string message;
    void fields(auto& f) { f("message", message); }
  };
  report content;
  void fields(auto& f) { f("raised", content); }
};

}  // namespace

expected<std::optional<command>> judge_socket::receive() {
  ssize_t got = -1;
  do got = recv(descriptor_, buffer_.data(), buffer_.size(), MSG_TRUNC);
  while (got < 0 && errno == EINTR);
  if (got == 0 || (got < 0 && errno == ECONNRESET)) return std::nullopt;
  if (got < 0) return tl::unexpected{std::string{"the judge's socket can't be read: "} + std::strerror(errno)};
  auto size = static_cast<std::size_t>(got);
  if (size > buffer_.size()) return tl::unexpected{std::string{"the judge's packet is too long"}};
  auto packet = wire::unpack<command>({buffer_.data(), size});
  if (!packet) return tl::unexpected{"the judge's packet can't be read: " + wire::to_string(packet.error())};
  return *packet;
}

bool judge_socket::send(wire::bytes_view packet) {
  ssize_t sent = -1;
  do sent = ::send(descriptor_, packet.data(), packet.size(), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

bool judge_socket::loaded() { return send(wire::pack(loaded_packet{})); }
bool judge_socket::done(std::uint64_t number) { return send(wire::pack(done_packet{number})); }
bool judge_socket::done(std::uint64_t number, std::chrono::nanoseconds device) {
  return send(wire::pack(timed_packet{number, device}));
}
bool judge_socket::raised(std::string_view message) { return send(wire::pack(raised_packet{{shown(message)}})); }

void keep_busy(std::chrono::nanoseconds duration) {
  auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

std::string shown(std::string_view text) {
  std::string result{text.substr(0, 4 << 10)};
  for (auto& c : result)
    if (c != '\n' && c != '\t' && (c < ' ' || c > '~')) c = '?';
  return result;
}

}  // namespace devices::worker::native
