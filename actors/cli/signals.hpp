#pragma once
// Ctrl-C and SIGTERM: the first drains, the second ends the process.

#include <functional>
#include <thread>

namespace actors::cli {

/// Before the first thread: blocks the signals for all of them, so that signal_watch gets them.
void block_signals();

/// A thread that waits for signals while it lives.
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
  std::thread thread_;
};

}  // namespace actors::cli
