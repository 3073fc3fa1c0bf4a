#ifndef KERNELMESH_MESSAGES_PROTOCOLS_TUNER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_TUNER_HPP
// Sweeps a candidate's knobs.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/question.hpp"

namespace messages {

using tuner_actor = caf::typed_actor<
    // The best plan found. Failures: not_found, storage.
    ask<tune_request, tune_reply>,
    // Gives a question up.
    tell<cancel_question>>;

}  // namespace messages

#endif
