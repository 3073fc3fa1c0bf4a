#ifndef KERNELMESH_MESSAGES_PROTOCOLS_COORDINATOR_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_COORDINATOR_HPP
// Admits runs, starts and supervises jobs, rebuilds them from facts.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/job.hpp"
#include "messages/records/run.hpp"

namespace messages {

using coordinator_actor = caf::typed_actor<
    // Journals the run and starts its jobs. Failures: bad_input (the id is taken), storage.
    ask<start_run, run_accepted>,
    // Rebuilds a run from its journal and goes on with the jobs that have not finished. Failures: not_found,
    // unreadable.
    ask<resume_run, run_accepted>,
    // Answered when the run has finished or drained. Failures: not_found.
    ask<await_run, run_status>,
    // Where runs stand.
    ask<status_request, status_reply>,
    // Finish what runs, start nothing more.
    ask<drain_request, drain_reply>,
    // From a job: it has finished, or ended because it was drained.
    tell<job_ended>>;

}  // namespace messages

#endif
