// A library that tries to start processes: when it is loaded, and again when it is called.

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "devices/worker/kernelmesh_abi.h"

namespace {

constexpr int ways = 7;

/// errno, or 0 where it worked; a child that was made ends at once.
int error_of(long pid) {
  if (pid == 0) _exit(0);
  return pid < 0 ? errno : 0;
}

int error_of_exec() {
  char name[] = "true";
  char* const arguments[]{name, nullptr};
  execv("/bin/true", arguments);
  return errno;
}

int error_of_spawn() {
  char name[] = "true";
  char* const arguments[]{name, nullptr};
  pid_t pid = 0;
  return posix_spawn(&pid, "/bin/true", nullptr, nullptr, arguments, nullptr);
}

void try_all(int64_t* to) {
  to[0] = error_of(fork());
  to[1] = error_of(syscall(SYS_vfork));
  to[2] = error_of(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  to[3] = error_of(syscall(SYS_clone3, nullptr, 0));
  to[4] = error_of_exec();
  to[5] = error_of_spawn();
  std::thread{[&] { to[6] = error_of(fork()); }}.join();  // a thread may start, and has the same limits
}

int64_t when_loaded[ways];

[[gnu::constructor]] void on_load() { try_all(when_loaded); }

}  // namespace

extern "C" int escape(const kernelmesh_tensor*, int32_t, const kernelmesh_tensor* out, int32_t, int32_t, void*) {
  auto to = static_cast<int64_t*>(out[0].data);
  for (int i = 0; i < ways; ++i) to[i] = when_loaded[i];
  try_all(to + ways);
  return 0;
}
