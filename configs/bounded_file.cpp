#include "configs/bounded_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "configs/wording.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

struct open_file {
  int fd;
  ~open_file() {
    if (fd >= 0) ::close(fd);
  }
};

std::string called(const file_request& request) { return "the " + request.what + " " + request.path.string(); }

tl::unexpected<messages::failure> cannot_open(const file_request& request, int error) {
  if (error == ENOENT || error == ENOTDIR)
    return fail(request.code, called(request) + " does not exist; check the path");
  if (error == EACCES || error == EPERM)
    return fail(request.code, called(request) + " may not be read; give it read permission");
  return fail(request.code, called(request) + " cannot be opened: " + std::strerror(error) + "; check the path");
}

/// Asked of the open descriptor, so that nobody can exchange the file in between.
bool lies_inside(int fd, const fs::path& folder) {
  std::error_code error;
  auto real = fs::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
  if (error) return false;
  auto within = real.lexically_relative(fs::canonical(folder, error));
  return !error && !within.empty() && *within.begin() != "..";
}

messages::expected<void> check_kind(const file_request& request, int fd) {
  struct stat about {};
  if (::fstat(fd, &about) != 0) return cannot_open(request, errno);
  if (S_ISDIR(about.st_mode))
    return fail(request.code, called(request) + " is a folder"
                                  + (request.of_folders.empty() ? "; name a file" : "; " + request.of_folders));
  if (!S_ISREG(about.st_mode)) return fail(request.code, called(request) + " is no ordinary file; name one");
  if (!request.inside.empty() && !lies_inside(fd, request.inside))
    return fail(request.code,
                called(request) + " leads out of " + request.inside.string() + "; put the file itself into the folder");
  return {};
}

/// Reads past the limit by one byte at most, whatever size the file says it has.
messages::expected<std::string> read_all(const file_request& request, int fd) {
  std::string bytes;
  std::array<char, 65536> buffer;
  while (bytes.size() <= request.limit_bytes) {
    auto n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(failure_code::storage, called(request) + " cannot be read: " + std::strerror(errno));
    if (n == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return fail(request.code,
              called(request) + " is larger than " + worded_size(request.limit_bytes) + "; is it the right file?");
}

/// @param at of the first byte that is wrong
std::string not_utf8(const std::string& bytes, std::size_t at) {
  auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%02x", static_cast<unsigned char>(bytes[at]));
  return " is not UTF-8: byte " + std::to_string(at) + ", in line " + std::to_string(line) + ", is " + hex
         + "; save it as UTF-8";
}

messages::expected<std::string> checked_text(const file_request& request, std::string bytes) {
  if (bytes.find('\0') != std::string::npos)
    return fail(request.code, called(request) + " is a binary file, not text; is it the right file?");
  if (auto at = first_not_utf8(bytes)) return fail(request.code, called(request) + not_utf8(bytes, *at));
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  if (bytes.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(request.code, called(request) + " is empty; is it the right file?");
  return bytes;
}

}  // namespace

bool valid_utf8(std::string_view text) { return !first_not_utf8(text); }

std::optional<std::size_t> first_not_utf8(std::string_view text) {
  auto follows = [&](std::size_t i, std::size_t n) {
    if (i + n >= text.size()) return false;
    for (std::size_t k = 1; k <= n; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    return true;
  };
  for (std::size_t i = 0; i < text.size();) {
    auto c = static_cast<unsigned char>(text[i]);
    std::size_t more = c < 0x80 ? 0 : (c >> 5) == 6 ? 1 : (c >> 4) == 14 ? 2 : (c >> 3) == 30 ? 3 : 4;
    if (more == 4 || c == 0xc0 || c == 0xc1 || !follows(i, more)) return i;
    i += more + 1;
  }
  return std::nullopt;
}

std::string worded_size(std::uint64_t bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  char text[40];
  std::snprintf(text, sizeof text, "%.3g %s", size, units[unit]);
  return text;
}

messages::expected<std::string> read_file(const file_request& request) {
  // A pipe must not hold us up before we know that it is one.
  open_file file{::open(request.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return cannot_open(request, errno);
  if (auto kind = check_kind(request, file.fd); !kind) return tl::unexpected{kind.error()};
  auto bytes = read_all(request, file.fd);
  if (!bytes || !request.text) return bytes;
  return checked_text(request, *std::move(bytes));
}

}  // namespace configs
