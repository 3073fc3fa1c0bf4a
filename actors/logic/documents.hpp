#pragma once
// What commands print, made of what facts say.

#include <string>

#include "actors/logic/job_state.hpp"
#include "messages/records/documents.hpp"

namespace actors::logic {

/// How one candidate was judged.
messages::verify_document verify_document_of(const job_state& job, const candidate_state& candidate);

/// How a job went. `file` of the best is left empty: whoever exports it knows.
messages::optimize_document optimize_document_of(const run_state& run, const job_state& job);

}  // namespace actors::logic
