#ifndef KERNELMESH_MESSAGES_PROTOCOLS_CODER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_CODER_HPP
// Writes the program of a plan.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/question.hpp"

namespace messages {

using coder_actor = caf::typed_actor<
    // A candidate whose sources lie in the blob store, or a remark why there is none. Failures: not_found, storage.
    ask<code_request, code_reply>,
    // Gives a question up.
    tell<cancel_question>>;

}  // namespace messages

#endif
