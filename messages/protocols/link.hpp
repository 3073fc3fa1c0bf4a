#ifndef KERNELMESH_MESSAGES_PROTOCOLS_LINK_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_LINK_HPP
// What a link posts to the actors beside it, and what those at both ends of it ask each other.

#include "messages/protocols/monitor.hpp"
#include "messages/protocols/scheduler.hpp"
#include "messages/records/blob.hpp"
#include "messages/records/link_call.hpp"

namespace messages {

/// A proxy, as its link sees it.
using answer_receiver_actor = caf::typed_actor<
    // The outcome of a call that the proxy made, exactly once for each.
    tell<call_answered>,
    // How one of them gets on.
    tell<call_progressed>>;

/// The far end of a proxy.
using exporter_actor = caf::typed_actor<
    // Decodes the request, asks the actor behind it and answers the link.
    tell<incoming_call>,
    // From whoever does the work: passed on to those whose call it is about.
    tell<stage_progress>>;

/// The coordinator's: which nodes lend what.
using members_actor = caf::typed_actor<
    // lent_resource and withdrawn_resource of a node.
    tell<incoming_call>,
    // Nodes come and go.
    tell<link_event>>;

/// A node's: lends its compilers and device_runners to the coordinator.
using lender_actor = caf::typed_actor<
    // As a scheduler takes them.
    tell<resource_offer>, tell<resource_joined>, tell<resource_left>,
    // Of stages that the coordinator asked for.
    tell<stage_progress>,
    // The coordinator comes and goes.
    tell<link_event>>;

/// A blob store that others read and write in parts.
using blob_depot_actor = caf::typed_actor<
    // Failures: not_found, unreadable (damaged), storage.
    ask<read_blob, blob_part>,
    // Checked against the hash when it is whole. Failures: bad_input (no such size or order), unreadable (it is not
    // what its hash says), overloaded, storage.
    ask<write_blob, blob_written>>;

/// Carries blobs between a node's store and the coordinator's.
using courier_actor = caf::typed_actor<
    // Answered when all are here. Failures: those of the depot, and of the way there.
    ask<bring_blobs, blobs_there>,
    // Answered when all are there.
    ask<send_blobs, blobs_there>>;

}  // namespace messages

#endif
