#pragma once
// One attempt at one model: the request goes out, pieces of the answer come in, one outcome ends it. No retries here
// (router.hpp says what is done about a failure) and no queue: whoever owns the client decides when an attempt starts.

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <tl/expected.hpp>

#include "llm_client/http_loop.hpp"
#include "llm_client/model.hpp"
#include "messages/records/language_model.hpp"

namespace llm_client {

using outcome = tl::expected<messages::llm_reply, messages::llm_failure>;

/// Of a reply; what is more is no reply.
struct reply_limits {
  std::size_t text_bytes = 8u << 20;      ///< text and reasoning together
  std::size_t body_bytes = 64u << 20;     ///< all that a server sends for it, decompressed
  std::size_t failing_bytes = 64u << 10;  ///< kept of an answer that is no reply
};

/// Called on the loop's thread; must neither throw nor wait. `done` is the last and comes exactly once.
struct call_events {
  std::function<void(std::string_view)> text;       ///< a piece, as it comes; may be absent
  std::function<void(std::string_view)> reasoning;  ///< likewise
  std::function<void(outcome)> done;
};

struct call {
  std::shared_ptr<const llm_client::model> model;
  messages::llm_request request;
  parameter_set without;  ///< what this model refused before
};

/// All members may be called from any thread, also from within events.
class client {
public:
  /// @param loop outlives the client
  client(http_loop& loop, configs::llm_deadlines deadlines, reply_limits limits = {})
      : loop_(loop), deadlines_(deadlines), limits_(limits) {}

  /// `done` comes later, never from within this call.
  http_id start(call x, call_events events);

  /// The connection is closed and `done` comes with `cancelled`, unless it came already.
  void cancel(http_id id) { loop_.cancel(id); }

private:
  http_loop& loop_;
  configs::llm_deadlines deadlines_;
  reply_limits limits_;
};

}  // namespace llm_client
