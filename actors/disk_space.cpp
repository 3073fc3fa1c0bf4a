#include "actors/disk_space.hpp"

#include <cstdint>

namespace actors {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t full_bytes = 4u << 20;
constexpr std::uintmax_t enough_bytes = 8u << 20;

/// All there is where that can't be found out: then nothing waits for it.
std::uintmax_t available(const fs::path& folder) {
  std::error_code error;
  auto space = fs::space(folder, error);
  return error ? UINTMAX_MAX : space.available;
}

}  // namespace

bool for_want_of_room(const messages::failure& reason, const fs::path& folder) {
  return reason.code == messages::failure_code::storage && available(folder) < full_bytes;
}

bool has_room(const fs::path& folder) { return available(folder) >= enough_bytes; }

}  // namespace actors
