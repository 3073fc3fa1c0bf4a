#include "devices/worker/private_folder.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace devices::worker {

std::string random_token() {
  std::uint64_t bits = 0;
  while (::getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return fmt::format("{:016x}", bits);
}

messages::expected<private_folder> private_folder::make(const std::filesystem::path& parent, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  auto path = std::filesystem::absolute(parent, error) / name;
  if (::mkdir(path.c_str(), 0700) != 0)
    return messages::fail(messages::failure_code::storage,
                          "cannot make the folder " + path.string() + ": " + std::strerror(errno));
  return private_folder{std::move(path)};
}

private_folder& private_folder::operator=(private_folder&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void private_folder::remove() {
  if (path_.empty()) return;
  std::error_code ignored;  // what can't be removed now is swept at the next start
  std::filesystem::remove_all(path_, ignored);
  path_.clear();
}

}  // namespace devices::worker
