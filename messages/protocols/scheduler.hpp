#ifndef KERNELMESH_MESSAGES_PROTOCOLS_SCHEDULER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_SCHEDULER_HPP
// Owns every queue, grant, retry and lease of stages.

#include "messages/protocols/stage_runner.hpp"
#include "messages/records/resource.hpp"

namespace messages {

/// A resource and the actor that stands for it. Stays inside a process, as handles do.
struct resource_joined {
  resource_offer offer;
  stage_runner_actor runner;
};

std::string to_string(const resource_joined& x);

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, resource_joined& x) {
  return inspect_local(f, x);
}

/// What compilers and device_runners need of whoever hands out their work: the scheduler, or who lends them to one.
using resource_taker_actor = caf::typed_actor<tell<resource_offer>, tell<resource_joined>, tell<resource_left>>;

using scheduler_actor = caf::typed_actor<
    // Queues a stage until a fitting resource is free, sends it there, and again elsewhere after an infrastructure
    // failure. Answered once with the last attempt's result. A stage that is already queued or runs is joined: both
    // askers get the one result.
    ask<stage_request, stage_result>,
    // Gives up a stage, queued or running.
    tell<cancel_stage>,
    // A resource that will come: stages may wait for it.
    tell<resource_offer>,
    // The resource is ready. One that is known under the name is replaced, and what it had runs again.
    tell<resource_joined>,
    // The resource is gone; what it had runs elsewhere.
    tell<resource_left>,
    // What there is and what waits.
    ask<resources_request, resources_reply>>;

}  // namespace messages

#endif
