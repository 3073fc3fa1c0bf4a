// OpenAI's Responses: https://platform.openai.com/docs/api-reference/responses. Typed events, of which the last carries
// the whole response; there is no [DONE].

#include <algorithm>

#include "llm_client/json_text.hpp"
#include "llm_client/protocol.hpp"
#include "llm_client/schema.hpp"

namespace llm_client {

namespace {

using messages::llm_stop;

// -- request ----------------------------------------------------------------------------------------------------------

std::string response_input(const body_input& x) {
  json_array out;
  for (const auto& message : x.request.messages) {
    auto role = message.speaker == messages::llm_speaker::user ? "user" : "assistant";
    out.json(json_object{}.text("role", role).text("content", message.text).take());
  }
  return out.take();
}

std::string response_format(const body_input& x) {
  const auto& schema = *x.request.schema;
  json_object format;
  if (x.structured() == configs::structured_form::object) {
    format.text("type", "json_object");
  } else {
    auto doc = wire::parse_json(schema.json);
    format.text("type", "json_schema").text("name", schema_name(schema)).json("schema", schema.json);
    format.boolean("strict", doc && strict_schema(json_view{*doc}));
  }
  json_object out;
  out.json("format", format.take());
  return out.take();
}

std::string response_body(const body_input& x) {
  const auto& request = x.request;
  json_object body;
  body.text("model", x.model.served_as);
  if (!request.system.empty()) body.text("instructions", request.system);
  body.json("input", response_input(x));
  if (x.may_send("max_output_tokens")) body.integer("max_output_tokens", request.output_tokens);
  if (request.temperature && x.may_send("temperature")) body.number("temperature", *request.temperature);
  if (request.top_p && x.may_send("top_p")) body.number("top_p", *request.top_p);
  if (request.effort != messages::llm_effort::unsaid && x.reasoning() != configs::reasoning_form::none
      && x.may_send("reasoning")) {
    json_object reasoning;
    reasoning.text("effort", enum_names(request.effort)[static_cast<std::size_t>(request.effort)]);
    body.json("reasoning", reasoning.take());
  }
  if (request.schema && x.structured() != configs::structured_form::none && x.may_send("text"))
    body.json("text", response_format(x));
  if (x.may_send("store")) body.boolean("store", false);
  if (x.stream()) body.boolean("stream", true);
  return body.take();
}

// -- reply ------------------------------------------------------------------------------------------------------------

void read_response_usage(reply_draft& draft, json_view usage) {
  if (!usage.is_object()) return;
  auto& out = draft.reply.usage;
  out.reported = true;
  out.input_tokens = usage["input_tokens"].count().value_or(0);
  out.output_tokens = usage["output_tokens"].count().value_or(0);
  out.cached_input_tokens =
      std::min(usage["input_tokens_details"]["cached_tokens"].count().value_or(0), out.input_tokens);
  out.reasoning_tokens = usage["output_tokens_details"]["reasoning_tokens"].count().value_or(0);
}

void read_output_item(reply_draft& draft, json_view item) {
  auto type = item["type"].text();
  if (type == "reasoning") {
    for (auto key : {"summary", "content"})
      item[key].each([&](json_view part) { add_reasoning(draft, part["text"].text()); });
  } else if (type == "message") {
    item["content"].each([&](json_view part) {
      add_text(draft, part["type"].text() == "output_text" ? part["text"].text() : "");
      draft.declined.append(part["refusal"].text());
    });
  } else if (type.ends_with("_call")) {
    draft.began = true;
    draft.reply.tool_calls.push_back(item["name"] ? item["name"].word() : std::string{type});
  }
}

void read_response_status(reply_draft& draft, json_view response) {
  auto status = response["status"].text();
  auto reason = response["incomplete_details"]["reason"].text();
  if (status == "failed" || status == "cancelled") {
    draft.error = read_error(response);
    if (!draft.error)
      draft.error = server_error{.status = 500, .message = "the response ended as " + std::string{status}};
    return;
  }
  if (status != "completed" && status != "incomplete") {
    draft.problem = "the response ended as \"" + std::string{status.substr(0, 64)} + "\"";
    return;
  }
  draft.ended = true;
  if (status == "completed")
    draft.reply.stop = draft.reply.tool_calls.empty() ? llm_stop::complete : llm_stop::tool_call;
  else
    draft.reply.stop = reason == "content_filter" ? llm_stop::content_filter : llm_stop::length;
}

/// @param draft of a stream has text already, which is not read twice
void read_response(reply_draft& draft, json_view response) {
  draft.reply.id = response["id"].word();
  draft.reply.model = response["model"].word();
  if (draft.reply.text.empty() && draft.declined.empty()) {
    draft.reply.reasoning.clear();
    draft.reply.tool_calls.clear();
    response["output"].each([&](json_view item) { read_output_item(draft, item); });
  }
  read_response_usage(draft, response["usage"]);
  read_response_status(draft, response);
}

void response_event(reply_draft& draft, const sse_event& event) {
  if (event.data == "[DONE]" || event.data.find_first_not_of(" \n") == std::string::npos) return;
  auto doc = read_event(draft, event.data);
  if (!doc) return;
  json_view x{*doc};
  auto type = x["type"] ? x["type"].text() : std::string_view{event.name};
  if (type == "response.output_text.delta") {
    add_text(draft, x["delta"].text());
  } else if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta") {
    add_reasoning(draft, x["delta"].text());
  } else if (type == "response.reasoning_summary_part.added") {
    if (!draft.reply.reasoning.empty()) add_reasoning(draft, "\n\n");
  } else if (type == "response.refusal.delta") {
    draft.declined.append(x["delta"].text());
  } else if (type == "response.output_item.added") {
    if (x["item"]["type"].text() == "function_call") read_output_item(draft, x["item"]);
  } else if (type == "response.completed" || type == "response.incomplete" || type == "response.failed") {
    read_response(draft, x["response"]);
    draft.closed = true;
  } else if (type == "error" || x["error"]) {
    draft.error = read_error(x);
    if (!draft.error) draft.error = server_error{.status = 500, .message = "the server gave up"};
  }
}

void response_whole(reply_draft& draft, json_view x) {
  if (!x["output"].is_array()) draft.error = read_error(x);
  if (draft.error) return;
  if (!x["output"].is_array()) {
    draft.problem = "the answer has no output";
    return;
  }
  read_response(draft, x);
  draft.closed = true;
}

}  // namespace

const protocol responses_protocol{"/responses", &response_body, &response_event, &response_whole};

}  // namespace llm_client
