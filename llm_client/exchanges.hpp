#pragma once
// Requests with everything that is done about failures: client and router put together on the loop's thread. For
// callers that have no queue of their own; an actor that has one asks router and client itself.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llm_client/client.hpp"
#include "llm_client/router.hpp"

namespace llm_client {

using exchange_id = std::uint64_t;

/// Called on the loop's thread; must neither throw nor wait.
struct exchange_events {
  std::function<void(const send_step&)> attempt;             ///< one starts; may be absent
  std::function<void(std::string_view)> text;                ///< of the present attempt; may be absent
  std::function<void(const messages::llm_failure&)> failed;  ///< an attempt did; may be absent
  std::function<void(outcome)> done;                         ///< the last, exactly once
};

class exchanges {
public:
  /// @param loop outlives this
  exchanges(http_loop& loop, const configs::llm_options& options, model_list models, std::function<double()> random);

  /// Ends what is open with `cancelled`. Not from within an event.
  ~exchanges();
  exchanges(const exchanges&) = delete;

  /// @param models names of the list, the preferred one first
  exchange_id start(std::vector<std::string> models, messages::llm_request request, exchange_events events);
  void cancel(exchange_id id);

private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace llm_client
