#pragma once
// Every record that is written or read somewhere: what the tests of the wire run over.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/language_model.hpp"
#include "messages/records/launch_record.hpp"

/// Records that no actor receives as a message of its own: worker protocol, blobs, facts, --json.
#define KERNELMESH_OTHER_RECORDS(X) \
  X(worker_command)                 \
  X(worker_reply)                   \
  X(op_graph)                       \
  X(expression)                     \
  X(plan)                           \
  X(candidate_manifest)             \
  X(launch_record)                  \
  X(task)                           \
  X(fact)                           \
  X(device_info)                    \
  X(verify_document)                \
  X(optimize_document)              \
  X(run_document)                   \
  X(suite_problem)                  \
  X(bench_marker)                   \
  X(bench_result)                   \
  X(bench_document)                 \
  X(estimate_document)              \
  X(completion_document)            \
  X(trace_document)                 \
  X(error_document)                 \
  X(llm_request)                    \
  X(llm_reply)                      \
  X(llm_failure)                    \
  X(link_frame)                     \
  X(join_ticket)                    \
  X(key_file)                       \
  X(certs_document)

/// Whoever adds a line to either list gets all tests of tests/messages for it.
#define KERNELMESH_RECORDS(X) KERNELMESH_MESSAGES(X) KERNELMESH_OTHER_RECORDS(X)
