#ifndef KERNELMESH_MESSAGES_RECORDS_LANGUAGE_MODEL_HPP
#define KERNELMESH_MESSAGES_RECORDS_LANGUAGE_MODEL_HPP
// What is asked of a language model and what comes of it, whoever serves it. Only a whole answer is a reply: what was
// cut, refused or filtered is a failure that carries what arrived. No key is in any of these.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace messages {

enum class llm_speaker : std::uint8_t { user, assistant };
constexpr auto enum_names(llm_speaker) { return std::to_array<std::string_view>({"user", "assistant"}); }

struct llm_message {
  llm_speaker speaker = llm_speaker::user;
  std::string text;
  bool stable = false;  ///< what stands up to here comes again in other requests: worth caching

  void fields(auto& f) {
    f("speaker", speaker);
    f("text", text);
    f("stable", stable);
  }
  friend bool operator==(const llm_message&, const llm_message&) = default;
};

/// The answer is to be one JSON document of this schema.
struct llm_schema {
  std::string name;  ///< letters, digits, '_' and '-'
  std::string json;  ///< JSON Schema; which keywords: llm_client/schema.hpp

  void fields(auto& f) {
    f("name", name);
    f("json", json);
  }
  friend bool operator==(const llm_schema&, const llm_schema&) = default;
};

/// How long a model is to reason before it answers; `unsaid` leaves it to the server.
enum class llm_effort : std::uint8_t { unsaid, none, minimal, low, medium, high };
constexpr auto enum_names(llm_effort) {
  return std::to_array<std::string_view>({"unsaid", "none", "minimal", "low", "medium", "high"});
}

struct llm_request {
  static constexpr auto wire_name = "llm_request";
  std::string system;                    ///< what the model is; empty: nothing is said
  std::vector<llm_message> messages;     ///< the last one is the user's
  std::uint32_t output_tokens = 16'384;  ///< at most, those of reasoning included
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> seed;
  std::vector<std::string> stop;  ///< texts before which the answer ends
  llm_effort effort = llm_effort::unsaid;
  std::optional<llm_schema> schema;
  bool stream = true;

  void fields(auto& f) {
    f("system", system);
    f("messages", messages);
    f("output_tokens", output_tokens);
    f("temperature", temperature);
    f("top_p", top_p);
    f("seed", seed);
    f("stop", stop);
    f("effort", effort);
    f("schema", schema);
    f("stream", stream);
  }
  friend bool operator==(const llm_request&, const llm_request&) = default;
};

/// Why the model stopped.
enum class llm_stop : std::uint8_t { unknown, complete, length, content_filter, refusal, tool_call, paused };
constexpr auto enum_names(llm_stop) {
  return std::to_array<std::string_view>(
      {"unknown", "complete", "length", "content_filter", "refusal", "tool_call", "paused"});
}

/// As the server counts.
struct llm_usage {
  bool reported = false;                   ///< else nothing is known, and the numbers are 0
  std::uint64_t input_tokens = 0;          ///< the whole prompt
  std::uint64_t cached_input_tokens = 0;   ///< of it, read from a cache
  std::uint64_t cache_written_tokens = 0;  ///< of it, written to a cache
  std::uint64_t output_tokens = 0;         ///< with reasoning
  std::uint64_t reasoning_tokens = 0;      ///< of it

  void fields(auto& f) {
    f("reported", reported);
    f("input_tokens", input_tokens);
    f("cached_input_tokens", cached_input_tokens);
    f("cache_written_tokens", cache_written_tokens);
    f("output_tokens", output_tokens);
    f("reasoning_tokens", reasoning_tokens);
  }
  friend bool operator==(const llm_usage&, const llm_usage&) = default;
};

struct llm_reply {
  static constexpr auto wire_name = "llm_reply";
  std::string text;
  std::string reasoning;   ///< what the server shows of it; never part of the text
  std::string structured;  ///< where a schema was asked for: the document, which matches it
  llm_stop stop = llm_stop::unknown;
  llm_usage usage;
  std::string id;                       ///< the server's
  std::string model;                    ///< as the server names it
  std::vector<std::string> tool_calls;  ///< names of tools that the model wanted, though none was offered
  std::chrono::milliseconds first_token{};
  std::chrono::milliseconds total{};

  void fields(auto& f) {
    f("text", text);
    f("reasoning", reasoning);
    f("structured", structured);
    f("stop", stop);
    f("usage", usage);
    f("id", id);
    f("model", model);
    f("tool_calls", tool_calls);
    f("first_token_ms", first_token);
    f("total_ms", total);
  }
  friend bool operator==(const llm_reply&, const llm_reply&) = default;
};

/// Append only. What is done about each: llm_client/router.hpp.
enum class llm_failure_kind : std::uint8_t {
  unknown,              ///< what a newer peer may report
  rate_limited,         ///< too many requests or tokens a minute
  quota_exhausted,      ///< no money or no tokens left: waiting for seconds does not help
  overloaded,           ///< the server has no room now, or still loads the model
  server_error,         ///< it failed at its work
  unauthorized,         ///< the key is wrong or missing
  forbidden,            ///< the key may not do that
  not_found,            ///< no such model or path
  bad_request,          ///< the server does not take the request, and it is not one of the next three
  parameter_refused,    ///< it would without one parameter
  context_too_long,     ///< prompt and answer do not fit
  request_too_large,    ///< in bytes
  content_filter,       ///< a filter of the provider stopped prompt or answer
  name_not_found,       ///< the host's name, or the proxy's
  connection_failed,    ///< refused, reset before an answer began, unreachable
  tls_failed,           ///< certificate or handshake
  connect_timeout,      ///< no connection in time
  first_token_timeout,  ///< connected, and no answer began in time
  idle_timeout,         ///< the answer stopped coming
  total_timeout,        ///< the answer was still coming
  cut_stream,           ///< the connection ended before the answer did
  malformed_reply,      ///< not what the protocol says: HTML, wrong content type, no JSON, too long
  redirected,           ///< the server points elsewhere; a key is not sent there
  empty_reply,          ///< ended well, with neither text nor anything else to use
  schema_mismatch,      ///< whole, but not the document that was asked for
  refused_by_model,     ///< the model declined
  tool_call,            ///< the model wants a tool; none was offered
  output_limit,         ///< the answer is longer than allowed
  cancelled,            ///< by us
  no_model,             ///< no model of the list can be asked now
};
constexpr auto enum_names(llm_failure_kind) {
  return std::to_array<std::string_view>(
      {"unknown",          "rate_limited",      "quota_exhausted",     "overloaded",     "server_error",
       "unauthorized",     "forbidden",         "not_found",           "bad_request",    "parameter_refused",
       "context_too_long", "request_too_large", "content_filter",      "name_not_found", "connection_failed",
       "tls_failed",       "connect_timeout",   "first_token_timeout", "idle_timeout",   "total_timeout",
       "cut_stream",       "malformed_reply",   "redirected",          "empty_reply",    "schema_mismatch",
       "refused_by_model", "tool_call",         "output_limit",        "cancelled",      "no_model"});
}

struct llm_failure {
  static constexpr auto wire_name = "llm_failure";
  llm_failure_kind kind = llm_failure_kind::unknown;
  std::string detail;  ///< one sentence: who said what, and the way out where there is one
  std::uint32_t http_status = 0;
  std::string provider_code;                             ///< the server's own word, "rate_limit_exceeded"
  std::string parameter;                                 ///< of parameter_refused: its name in the body
  std::optional<std::chrono::milliseconds> retry_after;  ///< the server asks for that much patience
  llm_reply partial;                                     ///< what arrived; its tokens are paid for

  void fields(auto& f) {
    f("kind", kind);
    f("detail", detail);
    f("http_status", http_status);
    f("provider_code", provider_code);
    f("parameter", parameter);
    f("retry_after_ms", retry_after);
    f("partial", partial);
  }
  friend bool operator==(const llm_failure&, const llm_failure&) = default;
};

}  // namespace messages

#endif
