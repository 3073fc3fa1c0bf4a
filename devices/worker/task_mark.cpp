#include "devices/worker/task_mark.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace devices::worker {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

namespace {

/// The first 16 KiB of a regular file; empty if it is none.
std::string beginning_of(const fs::path& file) {
  auto fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return {};
  struct stat about {};
  std::array<char, 16 << 10> bytes;
  bool regular = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  auto n = regular ? ::read(fd, bytes.data(), bytes.size()) : 0;
  ::close(fd);
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(0, n))};
}

template <class T>
T number_in(std::string_view text) {
  T x{};
  std::from_chars(text.data(), text.data() + text.size(), x);
  return x;
}

/// Tracebacks have the innermost call first.
std::uint32_t line_in(const std::string& traceback, const std::string& file) {
  auto before = "File \"" + file + "\", line ";
  auto at = traceback.find(before);
  return at == std::string::npos ? 0 : number_in<std::uint32_t>(std::string_view{traceback}.substr(at + before.size()));
}

bool plain(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == ' ' || c == '_'; });
}

}  // namespace

std::optional<task_mark> read_task_mark(const fs::path& own, const std::string& file) {
  auto text = beginning_of(own / "task.mark");
  text.resize(std::min(text.size(), text.find('\0')));
  auto space = text.find(' ');
  if (space == std::string::npos || !plain(text)) return std::nullopt;
  milliseconds began{number_in<std::int64_t>(text)};
  auto now = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
  return task_mark{text.substr(space + 1), now - began, line_in(beginning_of(own / "task.lines"), file)};
}

}  // namespace devices::worker
