#ifndef KERNELMESH_MESSAGES_PROTOCOLS_PLANNER_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_PLANNER_HPP
// Plans a task: groups of its op graph, a recipe for each.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/question.hpp"

namespace messages {

using planner_actor = caf::typed_actor<
    // The most promising plans first; none and a remark where nothing is covered. Failures: not_found (blobs),
    // overloaded.
    ask<plan_request, plan_reply>,
    // Gives a question up.
    tell<cancel_question>>;

}  // namespace messages

#endif
