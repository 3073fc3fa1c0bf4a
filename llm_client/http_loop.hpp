#pragma once
// The one wrapper of libcurl: one thread that serves all requests, HTTP/1.1 and HTTP/2, and a few timers. It opens a
// connection where none is free and keeps up to 64 for the next request.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "llm_client/http.hpp"

namespace llm_client {

using http_id = std::uint64_t;
using loop_clock = std::chrono::steady_clock;

/// All members may be called from any thread, also from within events.
class http_loop {
public:
  http_loop();

  /// Ends every request with `cancelled`; timers that did not come yet never do. Not from within an event.
  ~http_loop();
  http_loop(const http_loop&) = delete;
  http_loop& operator=(const http_loop&) = delete;

  http_id start(http_request request, http_events events);

  /// Closes the request's connection (HTTP/2: its stream); `done` comes with `cancelled`, unless it came already.
  void cancel(http_id id);

  /// Runs on the loop's thread, soon or at a time.
  void run(std::function<void()> task);
  void run_at(loop_clock::time_point when, std::function<void()> task);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace llm_client
