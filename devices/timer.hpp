#pragma once
// Where time comes from for executors that wait for nothing but time. In tests it is the actors' virtual clock.

#include <chrono>
#include <functional>

namespace devices {

class timer {
public:
  virtual ~timer() = default;

  /// Calls `f` once, `delay` from now, on a thread of the timer's choice; never inside this call.
  virtual void after(std::chrono::microseconds delay, std::function<void()> f) = 0;
};

}  // namespace devices
