#ifndef KERNELMESH_MESSAGES_PROTOCOLS_DEVICE_RUNNER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_DEVICE_RUNNER_HPP
// The runner of one device: its worker processes, its lanes.

#include "messages/protocols/stage_runner.hpp"

namespace messages {

/// Takes the kinds trace, verify, time and profile. It does what it is sent at once: which stages may run side by side
/// is the scheduler's decision.
using device_runner_actor = stage_runner_actor;

}  // namespace messages

#endif
