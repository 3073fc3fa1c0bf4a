#ifndef KERNELMESH_MESSAGES_PROTOCOLS_STAGE_RUNNER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_STAGE_RUNNER_HPP
// Whoever runs stages: what compilers and device_runners have in common, and all that the scheduler knows of them.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/stage.hpp"

namespace messages {

using stage_runner_actor = caf::typed_actor<
    // Runs one attempt of a stage. Its result is a verdict, an infrastructure failure or cancelled; never a CAF error,
    // but for actor_lost when the runner dies.
    ask<stage_request, stage_result>,
    // Gives up a stage; its result is then `cancelled`, unless it was done already.
    tell<cancel_stage>>;

}  // namespace messages

#endif
