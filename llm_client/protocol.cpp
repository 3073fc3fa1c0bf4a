#include "llm_client/protocol.hpp"

#include <algorithm>
#include <charconv>

namespace llm_client {

namespace {

constexpr std::string_view anthropic_version = "2023-06-01";

/// "429" of a code that is one of HTTP; servers that began to answer put it into the error.
std::uint32_t http_code(std::string_view text) {
  std::uint32_t code = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), code);
  bool whole = problem == std::errc{} && end == text.data() + text.size();
  return whole && code >= 400 && code < 600 ? code : 0;
}

std::string first_message(json_view x) {
  for (auto key : {"message", "msg", "detail", "error", "reason"})
    if (x[key].is_text()) return std::string{x[key].text()};
  return {};
}

/// {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "..."}]}
server_error from_details(json_view list) {
  auto x = list.first();
  server_error out{.type = x["type"].word(), .message = first_message(x)};
  x["loc"].each(
      [&](json_view part) { out.parameter = part.is_text() && part.text() != "body" ? part.word() : out.parameter; });
  return out;
}

server_error from_object(json_view x) {
  server_error out{
      .type = x["type"].word(), .code = x["code"].word(), .message = first_message(x), .parameter = x["param"].word()};
  if (out.type.empty()) out.type = x["status"].word();
  auto raw = x["metadata"]["raw"];  // of the server behind a router
  if (raw.is_text()) out.message += ": " + raw.word();
  if (auto inner = x["innererror"]["code"]; inner.is_text()) out.code += (out.code.empty() ? "" : " ") + inner.word();
  return out;
}

}  // namespace

// -- what to send -----------------------------------------------------------------------------------------------------

bool body_input::may_send(std::string_view parameter) const {
  const auto& refused = model.facts.refuses;
  return !without.contains(std::string{parameter})
         && std::find(refused.begin(), refused.end(), parameter) == refused.end();
}

configs::reasoning_form body_input::reasoning() const {
  return model.facts.reasoning.value_or(dialect_of(model.server).reasoning);
}
configs::structured_form body_input::structured() const {
  return model.facts.structured.value_or(dialect_of(model.server).structured);
}
configs::cache_form body_input::cache() const { return model.facts.cache.value_or(dialect_of(model.server).cache); }

std::string_view limit_parameter(const body_input& x) {
  const auto& names = dialect_of(x.model.server);
  if (x.may_send(names.limit)) return names.limit;
  return x.may_send(names.other_limit) ? names.other_limit : std::string_view{};
}

const protocol& protocol_of(configs::llm_protocol x) {
  switch (x) {
    case configs::llm_protocol::responses: return responses_protocol;
    case configs::llm_protocol::messages: return messages_protocol;
    case configs::llm_protocol::chat_completions: break;
  }
  return chat_completions_protocol;
}

std::string request_url(const model& x) {
  std::string url = x.server.base_url;
  while (url.ends_with('/')) url.pop_back();
  url += protocol_of(x.server.protocol).path;
  if (x.server.dialect == configs::llm_dialect::azure && !x.server.api_version.empty())
    url += "?api-version=" + x.server.api_version;
  return url;
}

std::vector<std::string> request_headers(const model& x, bool stream) {
  std::vector<std::string> out{"Content-Type: application/json", "User-Agent: kernelmesh",
                               stream ? "Accept: text/event-stream" : "Accept: application/json"};
  if (!x.key.empty()) out.push_back(std::string{dialect_of(x.server).key_header} + x.key.reveal());
  if (x.server.protocol == configs::llm_protocol::messages)
    out.push_back("anthropic-version: "
                  + (x.server.api_version.empty() ? std::string{anthropic_version} : x.server.api_version));
  return out;
}

std::string schema_name(const messages::llm_schema& schema) {
  std::string out = schema.name.substr(0, 64);
  for (char& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  return out.empty() ? "answer" : out;
}

// -- what came --------------------------------------------------------------------------------------------------------

void add_text(reply_draft& draft, std::string_view text) {
  draft.reply.text.append(text);
  draft.began = draft.began || !text.empty();
}

void add_reasoning(reply_draft& draft, std::string_view text) {
  draft.reply.reasoning.append(text);
  draft.began = draft.began || !text.empty();
}

std::optional<server_error> read_error(json_view x) {
  if (x.is_array()) return read_error(x.first());
  auto inside = x["error"];
  std::optional<server_error> out;
  if (inside.is_object())
    out = from_object(inside);
  else if (inside.is_text())
    out = server_error{.code = x["code"].word(), .message = inside.word()};
  else if (x["detail"].is_array())
    out = from_details(x["detail"]);
  else if (x["detail"].is_text() || x["object"].text() == "error" || x["type"].text() == "error")
    out = from_object(x);
  if (!out) return out;
  out->status = http_code(out->code);
  if (out->status == 0) out->status = http_code(out->type);
  return out;
}

std::optional<wire::document> read_event(reply_draft& draft, std::string_view data) {
  auto doc = parse_server_json(data);
  if (!doc) {
    draft.problem = "an event is " + wire::to_string(doc.error());
    return std::nullopt;
  }
  json_view x{*doc};
  if (!x.is_object()) {
    draft.problem = "an event is no object";
    return std::nullopt;
  }
  return *std::move(doc);
}

}  // namespace llm_client
