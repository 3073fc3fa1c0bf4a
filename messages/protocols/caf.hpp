#ifndef KERNELMESH_MESSAGES_PROTOCOLS_CAF_HPP
#define KERNELMESH_MESSAGES_PROTOCOLS_CAF_HPP
// All that protocols need of CAF 0.17.6, and what a later CAF would change: signatures, registration, inspection.
// Light on purpose; sources of actors include actors/caf.hpp.

#include <string>
#include <type_traits>

#include <caf/error.hpp>
#include <caf/replies_to.hpp>
#include <caf/sec.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>

#include "messages/records/failure.hpp"
#include "messages/wire/wire.hpp"

namespace messages {

// -- signatures: one named struct in, one out -------------------------------------------------------------------------

/// The actor answers a Request with a Reply, or with an error made of a failure.
template <class Request, class Reply>
using ask = typename caf::replies_to<Request>::template with<Reply>;

/// The actor takes note of a Message.
template <class Message>
using tell = caf::reacts_to<Message>;

/// Takes an ask or a tell apart; `reply` of a tell is void.
template <class Signature>
struct signature;

template <class Request, class Reply>
struct signature<caf::typed_mpi<caf::detail::type_list<Request>, caf::output_tuple<Reply>>> {
  using request = Request;
  using reply = Reply;
};

// -- errors -----------------------------------------------------------------------------------------------------------

caf::error to_error(const failure& x);

/// Also translates what CAF itself reports: a timeout, a receiver that is gone.
failure to_failure(const caf::error& x);

// -- inspection -------------------------------------------------------------------------------------------------------

/// What to_string(caf::message) prints, unquoted.
struct json_text {
  std::string text;
  friend std::string to_string(const json_text& x) { return x.text; }
};

/// A message as JSON, cut short for logs. Made in message_text.cpp for every message, so that the sources of actors
/// need not compile the codec of each: that took half of the build.
template <class T>
std::string message_text(const T& x);

/// Every record is a CAF message by its one field list. CAF prints messages, for logs; it never serialises them: its
/// own format has traps (caf.md), and between processes messages travel through wire::pack.
template <class Inspector, wire::record T>
typename Inspector::result_type inspect(Inspector& f, T& x) {
  if constexpr (std::is_void_v<typename Inspector::result_type>)
    f(json_text{message_text(x)});
  else
    return make_error(caf::sec::runtime_error, std::string{"messages leave the process through wire::pack only"});
}

/// For the few messages that hold handles: printed by their to_string, never serialised.
template <class Inspector, class T>
typename Inspector::result_type inspect_local(Inspector& f, T& x) {
  if constexpr (std::is_void_v<typename Inspector::result_type>)
    f(json_text{to_string(x)});
  else
    return make_error(caf::sec::runtime_error, std::string{"a handle does not leave the process"});
}

}  // namespace messages

#endif
