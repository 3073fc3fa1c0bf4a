#pragma once
// The one home of time in actors: the actor's own clock, which tests move, and the time of day that facts carry.

#include <chrono>

#include "actors/caf.hpp"
#include "actors/logic/job_state.hpp"

namespace actors {

/// Time of day by the monotonic clock from the start of the process on: it never jumps, and follows virtual time.
template <class Self>
logic::time_point wall_time(Self* self) {
  using namespace std::chrono;
  static const auto offset = system_clock::now().time_since_epoch() - steady_clock::now().time_since_epoch();
  return logic::time_point{duration_cast<milliseconds>(self->clock().now().time_since_epoch() + offset)};
}

}  // namespace actors
