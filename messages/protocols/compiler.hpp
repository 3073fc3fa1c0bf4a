#ifndef KERNELMESH_MESSAGES_PROTOCOLS_COMPILER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_COMPILER_HPP
// The compiler of one DSL on one node.

#include "messages/protocols/stage_runner.hpp"

namespace messages {

/// Takes the kinds static and compile. Equal requests share one build; results are kept by content. Never holds a
/// device.
using compiler_actor = stage_runner_actor;

}  // namespace messages

#endif
