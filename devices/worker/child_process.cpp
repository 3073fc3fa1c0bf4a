#include "devices/worker/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace devices::worker {

using messages::failure_code;

namespace {

auto system_failure(const std::string& what, int error) {
  return messages::fail(failure_code::worker_lost, what + ": " + std::strerror(error));
}

/// Out of the way of the numbers that the process is given.
descriptor raised(int fd) { return descriptor{::fcntl(fd, F_DUPFD_CLOEXEC, 16)}; }

/// What posix_spawn is told; frees itself.
struct spawn_rules {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  spawn_rules() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  spawn_rules(const spawn_rules&) = delete;
  ~spawn_rules() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }

  void set_files(const std::filesystem::path& folder, int output) {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  }
};

std::vector<char*> pointers(std::vector<std::string>& xs) {
  std::vector<char*> result;
  for (auto& x : xs) result.push_back(x.data());
  result.push_back(nullptr);
  return result;
}

void clean(std::string& text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') c = ' ';
}

}  // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

messages::expected<child_process> child_process::start(const std::filesystem::path& guard, const process_order& order) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_failure("cannot make a pipe", errno);
  child_process child;
  child.output_ = descriptor{ends[0]};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // the process may block on a full pipe, its owner may not
  descriptor written{ends[1]};
  auto output = raised(written.get());
  spawn_rules rules;
  rules.set_files(order.folder, output.get());
  std::vector<std::string> command{guard.string(), std::to_string(::getpid())};
  if (!order.sandbox.empty()) command.insert(command.end(), {"--sandbox", order.sandbox});
  command.insert(command.end(), order.command.begin(), order.command.end());
  auto environment = order.environment;
  auto error = ::posix_spawn(&child.pid_, guard.c_str(), &rules.files, &rules.attributes, pointers(command).data(),
                             pointers(environment).data());
  if (error) return system_failure("cannot run " + guard.string(), error);
  child.exit_ = descriptor{static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0))};
  if (child.exit_.is_open()) return child;
  error = errno;
  child.kill();
  child.reap();
  return system_failure("cannot watch a process (Linux 5.3 or later is needed)", error);
}

void child_process::read_output() {
  char buffer[4096];
  for (int i = 0; i < 16 && output_.is_open(); ++i) {  // others have their turn beside one that never stops writing
    auto n = ::read(output_.get(), buffer, sizeof buffer);
    if (n > 0) {
      tail_.append(buffer, static_cast<std::size_t>(n));
      if (tail_.size() > tail_bytes) tail_.erase(0, tail_.size() - tail_bytes);
    } else if (n == 0) {
      output_.reset();
    } else if (errno != EINTR) {
      return;
    }
  }
}

void child_process::terminate() { ::kill(pid_, SIGTERM); }
void child_process::kill() { ::kill(pid_, SIGKILL); }

bool child_process::has_ended(int wait_ms) const {
  pollfd item{.fd = exit_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&item, 1, wait_ms) == 1;
}

process_end child_process::reap() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  read_output();
  clean(tail_);
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), .tail = std::move(tail_)};
}

}  // namespace devices::worker
