#ifndef KERNELMESH_MESSAGES_PROTOCOLS_TYPE_IDS_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_TYPE_IDS_HPP
// Every message an actor may receive. Append only. The structs stay incomplete here, so a change to one of them does
// not rebuild all actors.

#include "messages/protocols/caf.hpp"

/// X(name) for each record that actors exchange: the type-id block and the tests are made of it.
#define KERNELMESH_MESSAGES(X) \
  X(stage_request)             \
  X(stage_result)              \
  X(stage_progress)            \
  X(cancel_stage)              \
  X(resource_offer)            \
  X(resource_left)             \
  X(resources_request)         \
  X(resources_reply)           \
  X(append_facts)              \
  X(facts_appended)            \
  X(read_facts)                \
  X(facts_read)                \
  X(event)                     \
  X(metrics_request)           \
  X(metrics_reply)             \
  X(start_run)                 \
  X(resume_run)                \
  X(run_accepted)              \
  X(await_run)                 \
  X(run_status)                \
  X(status_request)            \
  X(status_reply)              \
  X(drain_request)             \
  X(drain_reply)               \
  X(job_status_request)        \
  X(job_status)                \
  X(drain_job)                 \
  X(job_ended)                 \
  X(plan_request)              \
  X(plan_reply)                \
  X(code_request)              \
  X(code_reply)                \
  X(debug_request)             \
  X(debug_reply)               \
  X(profile_request)           \
  X(profile_reply)             \
  X(migrate_request)           \
  X(migrate_reply)             \
  X(build_task_request)        \
  X(build_task_reply)          \
  X(tune_request)              \
  X(tune_reply)                \
  X(executor_ready)            \
  X(executor_down)             \
  X(executor_ended)            \
  X(reminder)                  \
  X(cancel_question)           \
  X(incoming_call)             \
  X(call_answered)             \
  X(call_progressed)           \
  X(link_event)                \
  X(lent_resource)             \
  X(withdrawn_resource)        \
  X(read_blob)                 \
  X(blob_part)                 \
  X(write_blob)                \
  X(blob_written)              \
  X(bring_blobs)               \
  X(send_blobs)                \
  X(blobs_there)

/// Messages that hold handles and so stay inside a process.
#define KERNELMESH_LOCAL_MESSAGES(X) X(resource_joined)

#define KERNELMESH_DECLARE(name) struct name;
namespace messages {
KERNELMESH_MESSAGES(KERNELMESH_DECLARE)
KERNELMESH_LOCAL_MESSAGES(KERNELMESH_DECLARE)
}  // namespace messages
#undef KERNELMESH_DECLARE

#define KERNELMESH_NUMBER(name) CAF_ADD_TYPE_ID(kernelmesh, (messages::name))
CAF_BEGIN_TYPE_ID_BLOCK(kernelmesh, first_custom_type_id)
KERNELMESH_MESSAGES(KERNELMESH_NUMBER)
KERNELMESH_LOCAL_MESSAGES(KERNELMESH_NUMBER)
CAF_END_TYPE_ID_BLOCK(kernelmesh)
#undef KERNELMESH_NUMBER

#endif
