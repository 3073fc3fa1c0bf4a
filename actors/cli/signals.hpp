#pragma once
// Ctrl-C and SIGTERM: the first drains, the second ends the process.

#include <chrono>
#include <functional>
#include <thread>

namespace actors::cli {

/// A reader of our output that left is an error of a write, no death.
void ignore_broken_pipes();

/// While it lives, this thread and those it starts leave the signals to a signal_watch. Make it before the first
/// thread.
class signal_block {
public:
  signal_block();
  signal_block(const signal_block&) = delete;
  ~signal_block();
};

/// A thread that waits for signals while it lives. After a first signal the next one ends the process, also when the
/// watch has ended.
class signal_watch {
public:
  /// @param first runs on the watch's thread at the first signal; at the second the process ends with exit code 4
  explicit signal_watch(std::function<void()> first);
  ~signal_watch();

private:
  void loop();

  std::function<void()> first_;
  int signals_;
  int stop_;
  std::chrono::steady_clock::time_point first_at_{};
  bool drained_ = false;  ///< of the watch's thread; ours once that has ended
  std::thread thread_;
};

}  // namespace actors::cli
