#ifndef KERNELMESH_MESSAGES_PROTOCOLS_JOURNAL_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_JOURNAL_HPP
// The journals of all runs of a node.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/fact.hpp"

namespace messages {

using journal_actor = caf::typed_actor<
    // Answered when the facts are on disk, in one transaction. Failures: storage (nothing was written), unreadable.
    ask<append_facts, facts_appended>,
    // All facts of a run, in order. Failures: not_found, unreadable.
    ask<read_facts, facts_read>>;

}  // namespace messages

#endif
