#pragma once
// Sees the CUDA driver's calls in this process through CUPTI, and tells a recording of them.

#include <mutex>

#include "devices/worker/cuda_recorder/recording.hpp"

namespace devices::worker::recorder {

/// One a process; any thread may ask.
class driver_watch {
public:
  static driver_watch& here();

  /// Begins to watch. False: CUPTI is not there, or somebody else watches.
  bool start();
  bool is_watching() const { return watching_; }

  /// Calls `f(recording)`; no call of the driver is noted meanwhile.
  template <class F>
  auto with(F f) {
    std::lock_guard lock{mutex_};
    return f(recording_);
  }

  void record(bool on);
  bool is_recording() const { return recording_on_; }

  /// Memory of the device, kept until the next `give_back`: candidates pass on addresses of tensors that are gone.
  void* allocate(std::size_t bytes);
  void free_later(void* at);
  void give_back();

private:
  std::recursive_mutex mutex_;
  recording recording_;
  bool watching_ = false, recording_on_ = false;
  std::vector<void*> freed_;
};

}  // namespace devices::worker::recorder
