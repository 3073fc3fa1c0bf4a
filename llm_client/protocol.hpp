#pragma once
// The three protocols as pure functions: a request to its body, a server's events to a draft of the reply. Each has a
// source of its own; nothing here knows a socket.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm_client/dialect.hpp"
#include "llm_client/json_view.hpp"
#include "llm_client/model.hpp"
#include "llm_client/sse_parser.hpp"

namespace llm_client {

/// An error as servers tell it, whichever of their shapes it had.
struct server_error {
  std::uint32_t status = 0;  ///< as the error's own code says, if it is one of HTTP
  std::string type, code, message, parameter;
};

/// What of a reply arrived so far.
struct reply_draft {
  messages::llm_reply reply;
  std::optional<server_error> error;  ///< the server gave up
  std::string problem;                ///< something that the protocol does not know; empty: none
  std::string declined;               ///< the model's words where it refuses
  bool began = false;                 ///< the first piece of text, reasoning or a tool call came
  bool ended = false;                 ///< the server said why the model stopped: the answer is whole
  bool closed = false;                ///< the server said that nothing follows
};

/// One attempt, as its body depends on it.
struct body_input {
  const llm_client::model& model;
  const messages::llm_request& request;
  const parameter_set& without;

  bool may_send(std::string_view parameter) const;
  configs::reasoning_form reasoning() const;
  configs::structured_form structured() const;
  configs::cache_form cache() const;
  bool stream() const { return request.stream && may_send("stream"); }
};

struct protocol {
  std::string_view path;
  std::string (*body)(const body_input&);
  void (*event)(reply_draft&, const sse_event&);  ///< one of a stream
  void (*whole)(reply_draft&, json_view);         ///< the body of an answer that is no stream
};
const protocol& protocol_of(configs::llm_protocol x);

std::string request_url(const model& x);
/// With the key in one of them.
std::vector<std::string> request_headers(const model& x, bool stream);

/// The parameter that bounds the answer, or none where the model takes none.
std::string_view limit_parameter(const body_input& x);

/// Of a document or an event with an error in any known shape; nothing where there is none.
std::optional<server_error> read_error(json_view x);

// -- shared by the protocols' sources

/// Letters, digits, '_' and '-', at most 64.
std::string schema_name(const messages::llm_schema& schema);
void add_text(reply_draft& draft, std::string_view text);
void add_reasoning(reply_draft& draft, std::string_view text);
/// Parses an event's data; a problem or an error is noted in the draft, and then nothing is returned.
std::optional<wire::document> read_event(reply_draft& draft, std::string_view data);

extern const protocol chat_completions_protocol, responses_protocol, messages_protocol;

}  // namespace llm_client
