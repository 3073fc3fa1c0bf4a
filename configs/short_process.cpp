#include "configs/short_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace configs {

namespace {

using clock = std::chrono::steady_clock;
constexpr std::size_t output_limit = 64 << 10;

struct pipe_pair {
  std::array<int, 2> ends{-1, -1};
  bool open() {
    // Our end alone: the program must not find its output full.
    return ::pipe2(ends.data(), O_CLOEXEC) == 0 && ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }
  void close_writer() { ::close(std::exchange(ends[1], -1)); }
  ~pipe_pair() {
    for (int fd : ends)
      if (fd >= 0) ::close(fd);
  }
};

/// In a group of its own, no input, both outputs into the pipe. Returns an errno.
int start(const std::vector<std::string>& arguments, int output, ::pid_t& pid) {
  std::vector<char*> pointers;
  for (auto& x : arguments) pointers.push_back(const_cast<char*>(x.c_str()));
  pointers.push_back(nullptr);
  ::posix_spawn_file_actions_t actions;
  ::posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  ::posix_spawn_file_actions_adddup2(&actions, output, 2);
  ::sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  auto error = ::posix_spawn(&pid, pointers[0], &actions, &attributes, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

/// Takes what lies ready; false at the end of the stream.
bool take_output(int fd, std::string& output) {
  std::array<char, 4096> buffer;
  for (;;) {
    auto n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0;
    output.append(buffer.data(), std::min(static_cast<std::size_t>(n), output_limit - output.size()));
  }
}

/// Until the process has ended, even if others still hold its outputs; false if the time is over before.
bool follow(int pipe, int process, clock::time_point deadline, std::string& output) {
  std::array<::pollfd, 2> waiting{{{pipe, POLLIN, 0}, {process, POLLIN, 0}}};
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (left <= 0) return false;
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(std::min<long>(left, 1'000'000))) <= 0) continue;
    if (waiting[0].revents != 0 && !take_output(pipe, output)) waiting[0].fd = -1;
    if (waiting[1].revents == 0) continue;
    take_output(pipe, output);
    return true;
  }
}

}  // namespace

ended_process run_briefly(const std::vector<std::string>& arguments, std::chrono::milliseconds limit) {
  ended_process ended;
  pipe_pair pipe;
  ::pid_t pid = 0;
  auto error = pipe.open() ? start(arguments, pipe.ends[1], pid) : errno;
  if (error != 0) return ended.start_error = std::strerror(error), ended;
  pipe.close_writer();
  auto process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  ended.timed_out = !follow(pipe.ends[0], process, clock::now() + limit, ended.output);
  // Its children too; the group's number is ours until the process is waited for.
  ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (process >= 0) ::close(process);
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  return ended;
}

}  // namespace configs
