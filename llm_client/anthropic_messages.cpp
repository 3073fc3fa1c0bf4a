// Anthropic's Messages: https://docs.anthropic.com/en/api/messages. Blocks of types, pings, usage in two parts.

#include <algorithm>

#include "llm_client/json_text.hpp"
#include "llm_client/protocol.hpp"

namespace llm_client {

namespace {

using messages::llm_effort;
using messages::llm_stop;

constexpr std::size_t most_marks = 4;  // of caching in one request
constexpr std::uint32_t least_budget = 1024;

// -- request ----------------------------------------------------------------------------------------------------------

std::string text_block(std::string_view text, bool marked) {
  json_object block;
  block.text("type", "text").text("text", text);
  if (marked) block.json("cache_control", R"({"type":"ephemeral"})");
  json_array blocks;
  blocks.json(block.take());
  return blocks.take();
}

bool marks_caches(const body_input& x) {
  return x.cache() == configs::cache_form::marked && x.may_send("cache_control");
}

/// The last stable messages are marked: what stands before is cached with them.
std::string message_list(const body_input& x) {
  const auto& all = x.request.messages;
  auto stable = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& m) { return m.stable; }));
  auto most = most_marks - (x.request.system.empty() ? 0 : 1);
  json_array out;
  for (const auto& message : all) {
    bool marked = marks_caches(x) && message.stable && stable-- <= most;
    auto role = message.speaker == messages::llm_speaker::user ? "user" : "assistant";
    json_object made;
    made.text("role", role).json("content", text_block(message.text, marked));
    out.json(made.take());
  }
  return out.take();
}

std::uint32_t thinking_budget(const messages::llm_request& request) {
  auto wanted = request.effort == llm_effort::minimal  ? least_budget
                : request.effort == llm_effort::low    ? 2048u
                : request.effort == llm_effort::medium ? 8192u
                                                       : 16'384u;
  return std::min(wanted, request.output_tokens / 2);
}

bool wants_thinking(const body_input& x) {
  if (x.request.effort == llm_effort::unsaid || x.request.effort == llm_effort::none || !x.may_send("thinking"))
    return false;
  if (x.reasoning() == configs::reasoning_form::adaptive) return true;
  return x.reasoning() == configs::reasoning_form::budget && thinking_budget(x.request) >= least_budget;
}

void add_thinking(json_object& body, const body_input& x) {
  json_object thinking;
  if (x.reasoning() == configs::reasoning_form::adaptive)
    thinking.text("type", "adaptive");
  else
    thinking.text("type", "enabled").integer("budget_tokens", thinking_budget(x.request));
  body.json("thinking", thinking.take());
}

/// With effort and format, as far as either is said.
void add_output_config(json_object& body, const body_input& x) {
  bool effort = wants_thinking(x) && x.reasoning() == configs::reasoning_form::adaptive;
  bool format = x.request.schema && x.structured() == configs::structured_form::schema;
  if (!x.may_send("output_config") || (!effort && !format)) return;
  json_object out;
  if (effort)
    out.text("effort", x.request.effort == llm_effort::minimal
                           ? "low"
                           : enum_names(x.request.effort)[static_cast<std::size_t>(x.request.effort)]);
  if (format) {
    json_object described;
    described.text("type", "json_schema").json("schema", x.request.schema->json);
    out.json("format", described.take());
  }
  body.json("output_config", out.take());
}

void add_message_sampling(json_object& body, const body_input& x) {
  const auto& request = x.request;
  bool free = !wants_thinking(x);  // thinking fixes them
  if (free && request.temperature && x.may_send("temperature")) body.number("temperature", *request.temperature);
  if (free && request.top_p && !request.temperature && x.may_send("top_p")) body.number("top_p", *request.top_p);
  if (request.stop.empty() || !x.may_send("stop_sequences")) return;
  json_array stops;
  for (const auto& text : request.stop) stops.text(text);
  body.json("stop_sequences", stops.take());
}

std::string message_body(const body_input& x) {
  json_object body;
  body.text("model", x.model.served_as);
  if (!x.request.system.empty()) body.json("system", text_block(x.request.system, marks_caches(x)));
  body.json("messages", message_list(x)).integer("max_tokens", x.request.output_tokens);
  if (wants_thinking(x)) add_thinking(body, x);
  add_output_config(body, x);
  add_message_sampling(body, x);
  if (x.stream()) body.boolean("stream", true);
  return body.take();
}

// -- reply ------------------------------------------------------------------------------------------------------------

/// Input counts what was in no cache; each number is the whole so far, and may come twice.
void read_message_usage(reply_draft& draft, json_view usage) {
  if (!usage.is_object()) return;
  auto& out = draft.reply.usage;
  auto fresh = out.input_tokens - out.cached_input_tokens - out.cache_written_tokens;
  out.reported = true;
  fresh = usage["input_tokens"].count().value_or(fresh);
  out.cached_input_tokens = usage["cache_read_input_tokens"].count().value_or(out.cached_input_tokens);
  out.cache_written_tokens = usage["cache_creation_input_tokens"].count().value_or(out.cache_written_tokens);
  out.input_tokens = fresh + out.cached_input_tokens + out.cache_written_tokens;
  out.output_tokens = usage["output_tokens"].count().value_or(out.output_tokens);
  out.reasoning_tokens = usage["output_tokens_details"]["thinking_tokens"].count().value_or(out.reasoning_tokens);
}

void read_block(reply_draft& draft, json_view block) {
  auto type = block["type"].text();
  if (type == "text") add_text(draft, block["text"].text());
  if (type == "thinking") add_reasoning(draft, block["thinking"].text());
  if (type == "redacted_thinking") draft.began = true;
  if (type != "tool_use" && type != "server_tool_use") return;
  draft.began = true;
  draft.reply.tool_calls.push_back(block["name"].word());
}

void read_stop_reason(reply_draft& draft, std::string_view reason) {
  if (reason.empty()) return;
  draft.ended = true;
  draft.reply.stop = reason == "end_turn" || reason == "stop_sequence"                     ? llm_stop::complete
                     : reason == "max_tokens" || reason == "model_context_window_exceeded" ? llm_stop::length
                     : reason == "tool_use"                                                ? llm_stop::tool_call
                     : reason == "refusal"                                                 ? llm_stop::refusal
                     : reason == "pause_turn"                                              ? llm_stop::paused
                                                                                           : llm_stop::unknown;
  if (draft.reply.stop == llm_stop::unknown)
    draft.problem = "the answer ended with \"" + std::string{reason.substr(0, 64)} + "\"";
}

void read_message_head(reply_draft& draft, json_view message) {
  draft.reply.id = message["id"].word();
  draft.reply.model = message["model"].word();
  read_message_usage(draft, message["usage"]);
}

void read_block_delta(reply_draft& draft, json_view delta) {
  auto type = delta["type"].text();
  if (type == "text_delta") add_text(draft, delta["text"].text());
  if (type == "thinking_delta") add_reasoning(draft, delta["thinking"].text());
}

void message_event(reply_draft& draft, const sse_event& event) {
  if (event.data.find_first_not_of(" \n") == std::string::npos) return;
  auto doc = read_event(draft, event.data);
  if (!doc) return;
  json_view x{*doc};
  auto type = x["type"] ? x["type"].text() : std::string_view{event.name};
  if (type == "message_start") {
    read_message_head(draft, x["message"]);
  } else if (type == "content_block_start") {
    read_block(draft, x["content_block"]);
  } else if (type == "content_block_delta") {
    read_block_delta(draft, x["delta"]);
  } else if (type == "message_delta") {
    read_message_usage(draft, x["usage"]);
    read_stop_reason(draft, x["delta"]["stop_reason"].text());
  } else if (type == "message_stop") {
    draft.closed = true;
  } else if (type == "error" || x["error"]) {
    draft.error = read_error(x);
    if (!draft.error) draft.error = server_error{.status = 500, .message = "the server gave up"};
  }
}

void message_whole(reply_draft& draft, json_view x) {
  draft.error = read_error(x);
  if (draft.error) return;
  if (!x["content"].is_array()) {
    draft.problem = "the answer has no content";
    return;
  }
  read_message_head(draft, x);
  x["content"].each([&](json_view block) { read_block(draft, block); });
  read_stop_reason(draft, x["stop_reason"].text());
  draft.closed = true;
}

}  // namespace

const protocol messages_protocol{"/messages", &message_body, &message_event, &message_whole};

}  // namespace llm_client
