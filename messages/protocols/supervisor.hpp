#ifndef KERNELMESH_MESSAGES_PROTOCOLS_SUPERVISOR_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_SUPERVISOR_HPP
// Whoever starts actors again that died.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/executor_report.hpp"

namespace messages {

using supervisor_actor = caf::typed_actor<
    // Its own reminder that a child is due again.
    tell<reminder>>;

}  // namespace messages

#endif
