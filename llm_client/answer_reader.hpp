#pragma once
// The bytes of one HTTP answer to an outcome: which parser they need, what they say, whether they are a whole reply.
// Plain code without a socket.

#include <functional>
#include <string>
#include <string_view>

#include "llm_client/client.hpp"
#include "llm_client/failures.hpp"
#include "llm_client/json_splitter.hpp"
#include "llm_client/protocol.hpp"
#include "llm_client/sse_parser.hpp"

namespace llm_client {

class answer_reader {
public:
  answer_reader(call x, call_events events, reply_limits limits);

  void head(const http_head& head);
  reader_wish body(std::string_view bytes);

  /// @param now for a Retry-After that is a date
  outcome end(const http_end& end, wall_time now);

  const call& asked() const { return call_; }
  call_events& events() { return events_; }

private:
  /// By what it begins with: servers and proxies say all sorts of things in its content type.
  enum class form : std::uint8_t { undecided, failing, stream, document };

  void decide(std::string_view& bytes);
  void read(std::string_view bytes);
  void read_document(const std::string& text);
  void keep(std::string_view bytes);
  reader_wish wish() const;
  void tell_pieces();
  outcome settle(const http_end& end);
  outcome whole_reply();
  std::optional<messages::llm_failure_kind> unusable_end() const;
  tl::unexpected<messages::llm_failure> fail(messages::llm_failure failure);
  tl::unexpected<messages::llm_failure> fail(messages::llm_failure_kind kind, const std::string& detail);

  call call_;
  call_events events_;
  reply_limits limits_;
  const protocol& protocol_;
  http_head head_;
  form form_ = form::undecided;
  std::string kept_;  ///< of a failing answer
  std::size_t bytes_ = 0;
  sse_parser events_parser_;
  json_splitter documents_;
  reply_draft draft_;
  std::size_t told_text_ = 0, told_reasoning_ = 0;
  loop_clock::time_point started_ = loop_clock::now(), first_token_ = started_;
};

}  // namespace llm_client
