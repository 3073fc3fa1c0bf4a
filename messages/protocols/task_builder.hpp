#ifndef KERNELMESH_MESSAGES_PROTOCOLS_TASK_BUILDER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_TASK_BUILDER_HPP
// Makes a task of a symbol or a description.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/question.hpp"

namespace messages {

using task_builder_actor = caf::typed_actor<
    // A task in the blob store, or a remark why there is none. Failures: storage.
    ask<build_task_request, build_task_reply>,
    // Gives a question up.
    tell<cancel_question>>;

}  // namespace messages

#endif
