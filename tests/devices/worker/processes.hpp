#pragma once
// What runs on this machine, as /proc says.

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tests {

/// Processes, zombies left out, whose environment or command line holds a text.
inline std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    auto pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 1 || pid == ::getpid()) continue;
    for (auto name : {"environ", "cmdline"}) {
      std::ifstream file{entry.path() / name};
      std::string content{std::istreambuf_iterator<char>{file}, {}};
      if (content.find(text) == std::string::npos) continue;
      found.push_back(pid);
      break;
    }
  }
  return found;
}

/// Waits until a process has ended; false if it does not.
inline bool ends(pid_t pid, int limit_ms = 10'000) {
  auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return true;
  pollfd item{.fd = fd, .events = POLLIN, .revents = 0};
  auto ended = ::poll(&item, 1, limit_ms) == 1;
  ::close(fd);
  return ended;
}

inline bool all_end(const std::vector<pid_t>& pids) {
  for (auto pid : pids)
    if (!ends(pid)) return false;
  return true;
}

}  // namespace tests
