#include "actors/cli/signals.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <csignal>
#include <cstdint>

#include "actors/cli/options.hpp"

namespace actors::cli {

namespace {

/// Who sends a signal to a process and then to its group means one thing.
constexpr std::chrono::milliseconds same_wish{300};

/// Not those that whoever started us has us ignore: nohup, a shell's background job.
sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&set, signal);
  }
  return set;
}

/// Workers die with us, and the journal is whole at any moment.
void stop_at_once(int) { ::_exit(static_cast<int>(exit_code::interrupted)); }

/// For the time after the watch: what is being torn down then may take long, or wait for ever.
void stop_at_the_next() {
  auto set = watched();
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    if (sigismember(&set, signal) == 1) std::signal(signal, stop_at_once);
}

}  // namespace

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

signal_block::signal_block() {
  auto set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

signal_block::~signal_block() {
  auto set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

signal_watch::signal_watch(std::function<void()> first) : first_(std::move(first)), stop_(::eventfd(0, EFD_CLOEXEC)) {
  auto set = watched();
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  thread_ = std::thread{[this] { loop(); }};
}

signal_watch::~signal_watch() {
  std::uint64_t one = 1;
  [[maybe_unused]] auto written = ::write(stop_, &one, sizeof one);
  thread_.join();
  ::close(signals_);
  ::close(stop_);
  if (!drained_) return;
  auto set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void signal_watch::loop() {
  pollfd fds[]{{signals_, POLLIN, 0}, {stop_, POLLIN, 0}};
  for (;;) {
    if (::poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents != 0) return;
    signalfd_siginfo info;
    if (::read(signals_, &info, sizeof info) != sizeof info) continue;
    if (drained_ && std::chrono::steady_clock::now() - first_at_ < same_wish) continue;
    if (drained_) stop_at_once(info.ssi_signo);
    drained_ = true;
    first_at_ = std::chrono::steady_clock::now();
    stop_at_the_next();
    first_();
  }
}

}  // namespace actors::cli
