#pragma once
// Server-sent events from packets cut anywhere: https://html.spec.whatwg.org/multipage/server-sent-events.html.
// Lines end in LF, CR or CRLF, also with CR and LF in two packets; a byte order mark is dropped; comments count but
// say nothing. Memory is bounded by the limits whatever comes.

#include <cstdint>
#include <string>
#include <string_view>

namespace llm_client {

struct sse_event {
  std::string name;  ///< of `event:`; empty where none was given
  std::string data;  ///< lines of `data:`, with LF between them; may be no UTF-8
};

struct sse_limits {
  std::size_t line_bytes = 4u << 20;
  std::size_t event_bytes = 8u << 20;
};

class sse_parser {
public:
  explicit sse_parser(sse_limits limits = {}) : limits_(limits) {}

  /// Calls `f(sse_event&)` for each event that is whole now, until it returns false: what follows is dropped.
  /// @return false once a limit was passed: nothing is read any more
  template <class F>
  bool feed(std::string_view bytes, F f) {
    while (!bytes.empty() && !failed_) {
      if (!take_line(bytes)) continue;
      if (!end_line()) continue;
      auto event = take_event();
      if (!f(event)) return true;
    }
    return !failed_;
  }

  /// Bytes after the last whole event: where a stream ends here, it was cut within one.
  bool in_event() const { return !line_.empty() || has_data_; }
  std::uint64_t comments() const { return comments_; }

private:
  /// Moves bytes to the line; true when it ended.
  bool take_line(std::string_view& bytes);
  /// Reads the line that ended; true when it ended an event with data.
  bool end_line();
  void field(std::string_view name, std::string_view value);
  sse_event take_event();

  sse_limits limits_;
  std::string line_;
  sse_event event_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool first_line_ = true;
  bool failed_ = false;
  std::uint64_t comments_ = 0;
};

}  // namespace llm_client
