#pragma once
// One HTTP request and what becomes of it, in plain words.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "configs/llm_options.hpp"

namespace llm_client {

/// POST. Redirects are not followed: a key goes to the host that the config names and to no other.
struct http_request {
  std::string url;
  std::vector<std::string> headers;  ///< "Name: value"; not sent to a proxy
  std::string body;
  std::string proxy;    ///< as configs::llm_provider_options says
  std::string ca_file;  ///< PEM; "": the system's
  configs::llm_deadlines deadlines;
};

/// Status and headers of the answer; those of proxies and of 1xx answers are not among them.
struct http_head {
  std::uint32_t status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case

  /// The first of that name; empty where there is none.
  std::string_view header(std::string_view name) const;
};

/// How a request ended; `none`: the server ended its answer, whatever its status.
enum class http_fault : std::uint8_t {
  none,
  stopped,            ///< the reader wanted no more
  cancelled,          ///< or the loop was destroyed
  name_not_found,     ///< of the host or the proxy
  connection_failed,  ///< before the answer began
  tls_failed,
  connect_timeout,
  first_token_timeout,
  idle_timeout,
  total_timeout,
  cut,        ///< the connection ended within the answer
  malformed,  ///< no HTTP, or an encoding that is broken
};

struct http_end {
  http_fault fault = http_fault::none;
  std::string detail;  ///< what the network said; no key is in it
  std::chrono::milliseconds total{};
};

/// What the reader of an answer wants next.
enum class reader_wish : std::uint8_t {
  more,   ///< nothing has begun yet, as far as the reader is concerned: the deadline of the first token stands
  began,  ///< more; the answer has begun
  whole,  ///< nothing more: the answer is whole, `done` comes at once and the connection may be used again
  stop,   ///< nothing more: close the connection; `done` comes with `stopped`
};

/// All are called on the loop's thread and must neither throw nor wait. `done` is the last, and comes exactly once.
struct http_events {
  std::function<void(const http_head&)> head;
  std::function<reader_wish(std::string_view)> body;  ///< bytes as they came, decompressed
  std::function<void(const http_end&)> done;
};

}  // namespace llm_client
