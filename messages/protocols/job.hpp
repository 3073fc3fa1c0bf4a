#ifndef KERNELMESH_MESSAGES_PROTOCOLS_JOB_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_JOB_HPP
// One task on one target: asks agents, sends stages, journals what comes back.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/job.hpp"
#include "messages/records/run.hpp"

namespace messages {

using job_actor = caf::typed_actor<
    // Where the job stands.
    ask<job_status_request, job_status>,
    // Start nothing more; end as soon as what runs is journaled.
    tell<drain_job>>;

}  // namespace messages

#endif
