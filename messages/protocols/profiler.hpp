#ifndef KERNELMESH_MESSAGES_PROTOCOLS_PROFILER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_PROFILER_HPP
// Reads a profile.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/question.hpp"

namespace messages {

using profiler_actor = caf::typed_actor<
    // What limits the kernel and which knobs to try. Failures: not_found.
    ask<profile_request, profile_reply>,
    // Gives a question up.
    tell<cancel_question>>;

}  // namespace messages

#endif
