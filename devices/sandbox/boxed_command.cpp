#include "devices/sandbox/boxed_command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "devices/sandbox/sandbox.hpp"

namespace devices::sandbox {

namespace {

constexpr int by_signal = 128;

int refuse(const std::string& why) {
  std::fprintf(stderr, "no sandbox: %s\n", why.c_str());
  return no_sandbox;
}

int wait_for(pid_t wanted) {
  int status = 0;
  for (;;) {
    auto ended = ::waitpid(-1, &status, 0);
    if (ended == wanted) return exit_code_of(status);
    if (ended < 0 && errno != EINTR) return by_signal + SIGKILL;
  }
}

/// What a worker hands on to its candidates' sandboxes.
void name_readable(const spec& x) {
  ::setenv("KERNELMESH_SANDBOX_LIST", to_text({.readable = x.readable, .devices = x.devices}).c_str(), 1);
}

[[noreturn]] void run_command(const spec& x, const std::function<void()>& command) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto ready = x.keep_capabilities ? expected<void>{} : become_worker();
  if (!ready) ::_exit(refuse(ready.error()));
  name_readable(x);
  command();
  ::_exit(no_sandbox);
}

/// Keeps its capabilities, so that nobody inside may write its memory.
[[noreturn]] void run_init(const spec& x, const std::function<void()>& command) {
  if (auto ok = enter_init(); !ok) ::_exit(refuse(ok.error()));
  auto pid = ::fork();
  if (pid == 0) run_command(x, command);
  if (pid < 0) ::_exit(refuse("no process can be started in it"));
  for (int fd = 3; fd < 64; ++fd) ::close(fd);
  ::_exit(wait_for(pid));
}

/// False if the parent has died before the signal for that was asked for. A pid can't tell: it is 0 for both. A pipe
/// that only the parent reads can.
bool die_with_reader(int pipe_end) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return ::write(pipe_end, "x", 1) == 1;
}

}  // namespace

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status); }

int run_boxed(const spec& x, pid_t guard, const std::function<void()>& command) {
  std::error_code none;
  auto folder = std::filesystem::current_path(none);
  if (auto entered = enter_namespaces(x); !entered) return refuse(entered.error());
  std::filesystem::current_path(folder, none);  // /tmp if it is not shown
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);           // it was forgotten with the change of the user
  if (::getppid() != guard) return no_sandbox;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return refuse("there are no descriptors left");
  auto init = ::fork();
  if (init < 0) return refuse("no process can be started in it");
  if (init == 0) {
    ::close(ends[0]);
    if (!die_with_reader(ends[1])) ::_exit(no_sandbox);
    ::close(ends[1]);
    run_init(x, command);
  }
  ::close(ends[1]);
  for (int fd = 3; fd < 64; ++fd)
    if (fd != ends[0]) ::close(fd);
  return wait_for(init);
}

}  // namespace devices::sandbox
