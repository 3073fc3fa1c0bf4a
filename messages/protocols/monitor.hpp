#ifndef KERNELMESH_MESSAGES_PROTOCOLS_MONITOR_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_MONITOR_HPP
// A node's events: counted, published, shown.

#include "messages/protocols/type_ids.hpp"
#include "messages/records/event.hpp"
#include "messages/records/stage.hpp"

namespace messages {

/// What they need of whoever hears how their stages get on: the monitor, or who passes it on.
using progress_taker_actor = caf::typed_actor<tell<stage_progress>>;

using monitor_actor = caf::typed_actor<
    // Publishes an event.
    tell<event>,
    // How a stage gets on; published as an event.
    tell<stage_progress>,
    // How many of each kind there were.
    ask<metrics_request, metrics_reply>>;

}  // namespace messages

#endif
