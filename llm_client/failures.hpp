#pragma once
// From what a server or the network said to one of messages::llm_failure_kind and one sentence. Pure; the words of each
// provider are a table in failures.cpp.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "llm_client/http.hpp"
#include "llm_client/protocol.hpp"

namespace llm_client {

using wall_time = std::chrono::sys_seconds;

/// A whole HTTP answer of which the status or the content type says that it is no reply.
struct failed_answer {
  const http_head& head;
  std::string_view body;  ///< as much as was kept
  wall_time now;          ///< for a Retry-After that is a date, where the server's own clock is not in the headers
};
messages::llm_failure failure_of(const failed_answer& x, const model& asked);

/// An error within an answer that began with status 200.
messages::llm_failure failure_of(const server_error& x, const model& asked);

/// The network's.
messages::llm_failure failure_of(const http_end& x, const model& asked);

/// A failure that we found ourselves.
messages::llm_failure failure_of(messages::llm_failure_kind kind, const std::string& detail, const model& asked);

/// "120", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT" (its two older forms too) as patience from now on, at least 0; nothing
/// where it is neither. `retry-after-ms` goes before `retry-after`.
std::optional<std::chrono::milliseconds> retry_after(const http_head& head, wall_time now);
std::optional<wall_time> parse_http_date(std::string_view text);

/// Parameters that a request can go without; `name` as servers give it ("response_format.json_schema"), the answer as
/// it stands in the body, or nothing.
std::optional<std::string> droppable_parameter(std::string_view name);

}  // namespace llm_client
