#ifndef KERNELMESH_MESSAGES_PROTOCOLS_MIGRATOR_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_MIGRATOR_HPP
// Carries a kernel to another language or chip.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/question.hpp"

namespace messages {

using migrator_actor = caf::typed_actor<
    // A candidate for the target, or a remark why there is none. Failures: not_found, storage.
    ask<migrate_request, migrate_reply>,
    // Gives a question up.
    tell<cancel_question>>;

}  // namespace messages

#endif
