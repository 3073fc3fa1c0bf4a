#ifndef KERNELMESH_MESSAGES_PROTOCOLS_DEBUGGER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_DEBUGGER_HPP
// Says what to do about a kernel that failed.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/question.hpp"

namespace messages {

using debugger_actor = caf::typed_actor<
    // Other knobs, a repaired program, or the next plan. Failures: not_found, storage.
    ask<debug_request, debug_reply>,
    // Gives a question up.
    tell<cancel_question>>;

}  // namespace messages

#endif
