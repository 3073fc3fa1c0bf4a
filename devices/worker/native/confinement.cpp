#include "devices/worker/native/confinement.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <climits>
#include <csignal>
#include <cstdlib>

#include "devices/sandbox/rights.hpp"

namespace devices::worker::native {

void close_from(int first) { syscall(SYS_close_range, first, UINT_MAX, 0); }

void restore_defaults() {
  constexpr rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (auto number : {SIGINT, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);  // Python has its own for these
  sigset_t nothing;
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, nullptr);
}

void keep_freed_pages() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
}

void announce_threads(int count) {
  setenv("OMP_NUM_THREADS", std::to_string(count).c_str(), 1);
  setenv("OMP_WAIT_POLICY", "passive", 1);
}

expected<void> deny_processes() {
  return sandbox::filter_calls(sandbox::rules::candidate, {.processes = false, .exec = false});
}

}  // namespace devices::worker::native
