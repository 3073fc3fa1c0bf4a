#pragma once
// When which stage of a run waited and ran, as a document for trace viewers.

#include <span>

#include "messages/records/command_documents.hpp"
#include "messages/records/fact.hpp"

namespace actors::logic {

/// A span for each stage that ended, and one for each wait; a row for each resource, waits below all of them.
messages::trace_document trace_of(const messages::run_id& run, std::span<const messages::fact> facts);

}  // namespace actors::logic
