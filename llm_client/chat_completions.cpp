// OpenAI's Chat Completions, which nearly every server speaks: https://platform.openai.com/docs/api-reference/chat.

#include <algorithm>

#include "llm_client/json_text.hpp"
#include "llm_client/protocol.hpp"
#include "llm_client/schema.hpp"

namespace llm_client {

namespace {

using messages::llm_stop;

// -- request ----------------------------------------------------------------------------------------------------------

std::string chat_message(std::string_view role, std::string_view text, bool marked) {
  json_object message;
  message.text("role", role);
  if (!marked) return message.text("content", text).take();
  auto part = json_object{}.text("type", "text").text("text", text).json("cache_control", R"({"type":"ephemeral"})");
  json_array parts;
  parts.json(part.take());
  message.json("content", parts.take());
  return message.take();
}

std::string chat_messages(const body_input& x) {
  bool marks = x.cache() == configs::cache_form::marked && x.may_send("cache_control");
  json_array out;
  if (!x.request.system.empty()) out.json(chat_message("system", x.request.system, marks));
  for (const auto& message : x.request.messages) {
    auto role = message.speaker == messages::llm_speaker::user ? "user" : "assistant";
    out.json(chat_message(role, message.text, marks && message.stable));
  }
  return out.take();
}

std::string chat_format(const body_input& x) {
  if (x.structured() == configs::structured_form::object) return R"({"type":"json_object"})";
  const auto& schema = *x.request.schema;
  auto doc = wire::parse_json(schema.json);
  json_object described;
  described.text("name", schema_name(schema)).json("schema", schema.json);
  if (doc && strict_schema(json_view{*doc})) described.boolean("strict", true);
  json_object out;
  out.text("type", "json_schema").json("json_schema", described.take());
  return out.take();
}

void add_chat_sampling(json_object& body, const body_input& x) {
  const auto& request = x.request;
  if (request.temperature && x.may_send("temperature")) body.number("temperature", *request.temperature);
  if (request.top_p && x.may_send("top_p")) body.number("top_p", *request.top_p);
  if (request.seed && x.may_send("seed")) body.integer("seed", *request.seed);
  if (request.stop.empty() || !x.may_send("stop")) return;
  json_array stops;
  for (const auto& text : request.stop) stops.text(text);
  body.json("stop", stops.take());
}

std::string chat_body(const body_input& x) {
  json_object body;
  body.text("model", x.model.served_as).json("messages", chat_messages(x));
  if (auto limit = limit_parameter(x); !limit.empty()) body.integer(limit, x.request.output_tokens);
  add_chat_sampling(body, x);
  auto effort = x.request.effort;
  if (effort != messages::llm_effort::unsaid && x.reasoning() != configs::reasoning_form::none
      && x.may_send("reasoning_effort"))
    body.text("reasoning_effort", enum_names(effort)[static_cast<std::size_t>(effort)]);
  if (x.request.schema && x.structured() != configs::structured_form::none && x.may_send("response_format"))
    body.json("response_format", chat_format(x));
  if (x.stream()) {
    body.boolean("stream", true);
    if (x.may_send("stream_options")) body.json("stream_options", R"({"include_usage":true})");
  }
  return body.take();
}

// -- reply ------------------------------------------------------------------------------------------------------------

/// Some send it with every chunk, growing: the last one counts.
void read_chat_usage(reply_draft& draft, json_view usage) {
  if (!usage.is_object()) return;
  auto& out = draft.reply.usage;
  auto cached = usage["prompt_tokens_details"]["cached_tokens"].count();
  if (!cached) cached = usage["prompt_cache_hit_tokens"].count();
  out.reported = usage["prompt_tokens"].count() || usage["completion_tokens"].count();
  out.input_tokens = usage["prompt_tokens"].count().value_or(0);
  out.output_tokens = usage["completion_tokens"].count().value_or(0);
  out.cached_input_tokens = std::min(cached.value_or(0), out.input_tokens);
  out.reasoning_tokens = usage["completion_tokens_details"]["reasoning_tokens"].count().value_or(0);
}

/// A text, or parts of which those of type "text" are it.
void read_chat_content(reply_draft& draft, json_view content) {
  if (content.is_text()) return add_text(draft, content.text());
  content.each([&](json_view part) {
    if (part["type"].text() == "text") add_text(draft, part["text"].text());
  });
}

void read_chat_message(reply_draft& draft, json_view message) {
  read_chat_content(draft, message["content"]);
  auto reasoning = message["reasoning_content"];
  add_reasoning(draft, reasoning.is_text() ? reasoning.text() : message["reasoning"].text());
  draft.declined.append(message["refusal"].text());
  message["tool_calls"].each([&](json_view call) {
    draft.began = true;
    if (auto name = call["function"]["name"]; !name.text().empty()) draft.reply.tool_calls.emplace_back(name.text());
  });
}

/// "abort" and the like end the stream, not the answer.
void read_finish(reply_draft& draft, std::string_view reason) {
  if (reason.empty() || reason == "abort" || reason == "cancelled") return;
  if (reason == "error" || reason == "insufficient_system_resource") {
    if (!draft.error)
      draft.error = server_error{.status = 503, .code = std::string{reason}, .message = "the server gave up"};
    return;
  }
  draft.ended = true;
  auto is = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), reason) != words.end();
  };
  draft.reply.stop = is({"stop", "eos", "end_turn", "stop_sequence"}) ? llm_stop::complete
                     : is({"length", "max_tokens"})                   ? llm_stop::length
                     : is({"content_filter"})                         ? llm_stop::content_filter
                     : is({"tool_calls", "function_call"})            ? llm_stop::tool_call
                                                                      : llm_stop::unknown;
  if (draft.reply.stop == llm_stop::unknown)
    draft.problem = "the answer ended with \"" + std::string{reason.substr(0, 64)} + "\"";
}

/// Of several answers side by side only the first is read.
void read_choices(reply_draft& draft, json_view choices, const char* part) {
  choices.each([&](json_view choice) {
    if (choice["index"].count().value_or(0) != 0) return;
    read_chat_message(draft, choice[part] ? choice[part] : choice["message"]);
    read_finish(draft, choice["finish_reason"].text());
  });
}

void read_chat_names(reply_draft& draft, json_view x) {
  if (draft.reply.id.empty()) draft.reply.id = x["id"].word();
  if (draft.reply.model.empty()) draft.reply.model = x["model"].word();
  read_chat_usage(draft, x["usage"]);
}

void chat_event(reply_draft& draft, const sse_event& event) {
  if (event.data == "[DONE]") {
    draft.closed = true;
    return;
  }
  if (event.data.find_first_not_of(" \n") == std::string::npos) return;
  auto doc = read_event(draft, event.data);
  if (!doc) return;
  json_view x{*doc};
  draft.error = read_error(x);
  if (draft.error) return;
  read_chat_names(draft, x);
  read_choices(draft, x["choices"], "delta");
}

void chat_whole(reply_draft& draft, json_view x) {
  draft.error = read_error(x);
  if (draft.error) return;
  if (!x["choices"].is_array()) {
    draft.problem = "the answer has no choices";
    return;
  }
  read_chat_names(draft, x);
  read_choices(draft, x["choices"], "message");
  draft.closed = true;
}

}  // namespace

const protocol chat_completions_protocol{"/chat/completions", &chat_body, &chat_event, &chat_whole};

}  // namespace llm_client
