#pragma once
// The packets between the judge and a candidate ("Judge and candidate" of PROTOCOL.md), and their socket.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "devices/worker/native/order.hpp"

namespace devices::worker::native {

/// From the judge; one of the three numbers is there.
struct command {
  std::optional<std::uint64_t> call, reset, empty;
  std::chrono::nanoseconds ns{0};  ///< of `empty`
  std::uint32_t variant = 0;       ///< of `call`: which of the order's

  void fields(auto& f) {
    f("call", call);
    f("reset", reset);
    f("empty", empty);
    f("ns", ns);
    f("variant", variant);
  }
};

/// Of an empty command: how fast a sleeping judge wakes depends on how long it slept.
void keep_busy(std::chrono::nanoseconds duration);

/// Commands never arrive in another way, and answers never leave in another.
class judge_socket {
public:
  explicit judge_socket(int descriptor) : descriptor_(descriptor) {}

  /// Waits. No command: the judge has closed its end.
  expected<std::optional<command>> receive();

  /// False: nobody is there to read it.
  bool loaded();
  bool done(std::uint64_t number);
  bool done(std::uint64_t number, std::chrono::nanoseconds device);  ///< with the time by the device's own clock
  bool raised(std::string_view message);

private:
  static constexpr std::size_t packet_bytes = 64 << 10;

  bool send(wire::bytes_view packet);

  int descriptor_;
  std::array<std::byte, packet_bytes> buffer_;
};

/// At most 4 KiB of ASCII without control characters but newline and tab: what a packet's reader takes from anybody.
std::string shown(std::string_view text);

}  // namespace devices::worker::native
