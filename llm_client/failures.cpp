#include "llm_client/failures.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "llm_client/utf8.hpp"

namespace llm_client {

namespace {

using failure_kind = messages::llm_failure_kind;
using messages::llm_failure;

constexpr std::size_t longest_quote = 300;

// -- the words of providers -------------------------------------------------------------------------------------------

struct failure_words {
  failure_kind kind;
  std::string_view words;  ///< in lower case, of type, code or message
};

/// The first that fits counts, so the more certain ones stand first.
constexpr auto known_words = std::to_array<failure_words>({
    // codes and types
    {failure_kind::quota_exhausted, "insufficient_quota"},
    {failure_kind::quota_exhausted, "billing_hard_limit_reached"},
    {failure_kind::quota_exhausted, "billing_not_active"},
    {failure_kind::quota_exhausted, "billing_error"},
    {failure_kind::context_too_long, "context_length_exceeded"},
    {failure_kind::context_too_long, "exceed_context_size_error"},
    {failure_kind::content_filter, "content_filter"},
    {failure_kind::content_filter, "content_policy_violation"},
    {failure_kind::content_filter, "responsibleaipolicyviolation"},
    {failure_kind::content_filter, "data_inspection_failed"},
    {failure_kind::not_found, "model_not_found"},
    {failure_kind::not_found, "deploymentnotfound"},
    {failure_kind::unauthorized, "invalid_api_key"},
    // sentences
    {failure_kind::quota_exhausted, "exceeded your current quota"},
    {failure_kind::quota_exhausted, "insufficient balance"},
    {failure_kind::quota_exhausted, "credit balance is too low"},
    {failure_kind::quota_exhausted, "insufficient credits"},
    {failure_kind::quota_exhausted, "requires more credits"},
    {failure_kind::quota_exhausted, "reached your specified api usage limits"},
    {failure_kind::content_filter, "content management policy"},
    {failure_kind::content_filter, "content exists risk"},
    {failure_kind::content_filter, "content filtering policy"},
    {failure_kind::content_filter, "requires moderation"},
    {failure_kind::content_filter, "input was flagged"},
    {failure_kind::rate_limited, "tokens per min"},
    {failure_kind::rate_limited, "requests per min"},
    {failure_kind::context_too_long, "maximum context length"},
    {failure_kind::context_too_long, "model's context length"},
    {failure_kind::context_too_long, "maximum allowed context length"},
    {failure_kind::context_too_long, "available context size"},
    {failure_kind::context_too_long, "exceeds the context window"},
    {failure_kind::context_too_long, "exceeds the context length"},
    {failure_kind::context_too_long, "exceed context limit"},
    {failure_kind::context_too_long, "exceeds the model's maximum"},
    {failure_kind::context_too_long, "exceeds maximum context"},
    {failure_kind::context_too_long, "context window of this model"},
    {failure_kind::context_too_long, "prompt is too long"},
    {failure_kind::context_too_long, "input is too long"},
    {failure_kind::context_too_long, "max_model_len"},
    {failure_kind::not_found, "is not a valid model"},
    {failure_kind::not_found, "try pulling it first"},
});

/// Types that stand for a status, in errors that come within an answer.
constexpr auto type_status = std::to_array<std::pair<std::string_view, std::uint32_t>>({
    {"overloaded_error", 529},
    {"unavailable_error", 503},
    {"rate_limit_error", 429},
    {"rate_limit_exceeded", 429},
    {"authentication_error", 401},
    {"permission_error", 403},
    {"not_found_error", 404},
    {"request_too_large", 413},
    {"timeout_error", 504},
    {"invalid_request_error", 400},
    {"badrequesterror", 400},
});

constexpr auto refusals_of_parameters = std::to_array<std::string_view>(
    {"unsupported", "not supported", "does not support", "unrecognized", "unknown parameter", "unknown field",
     "extra inputs", "extra_forbidden", "not permitted", "not allowed", "deprecated", "may only be set",
     "must be verified"});

constexpr auto droppable_names = std::to_array<std::string_view>(
    {"temperature", "top_p", "seed", "stop_sequences", "stop", "reasoning_effort", "reasoning", "response_format",
     "stream_options", "stream", "max_completion_tokens", "max_tokens", "max_output_tokens", "thinking",
     "output_config", "cache_control", "store", "text"});

std::string in_lower_case(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::string all_words(const server_error& x) { return in_lower_case(x.type + ' ' + x.code + ' ' + x.message); }

std::optional<failure_kind> kind_by_words(const server_error& x) {
  auto words = all_words(x);
  for (const auto& known : known_words)
    if (has(words, known.words)) return known.kind;
  return std::nullopt;
}

failure_kind kind_by_status(std::uint32_t status) {
  switch (status) {
    case 401: return failure_kind::unauthorized;
    case 402: return failure_kind::quota_exhausted;
    case 403:
    case 407: return failure_kind::forbidden;
    case 404:
    case 405:
    case 410: return failure_kind::not_found;
    case 408:
    case 409:
    case 425:
    case 503:
    case 529: return failure_kind::overloaded;
    case 413: return failure_kind::request_too_large;
    case 429: return failure_kind::rate_limited;
    default: break;
  }
  if (status >= 300 && status < 400) return failure_kind::redirected;
  return status >= 500 ? failure_kind::server_error : failure_kind::bad_request;
}

// -- refused parameters -----------------------------------------------------------------------------------------------

bool part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The first name of a parameter in a sentence, as a word of its own.
std::optional<std::string> named_parameter(std::string_view sentence) {
  std::size_t first = sentence.npos;
  std::string_view found;
  for (auto name : droppable_names)
    for (auto at = sentence.find(name); at != sentence.npos; at = sentence.find(name, at + 1)) {
      bool whole = (at == 0 || !part_of_name(sentence[at - 1]))
                   && (at + name.size() == sentence.size() || !part_of_name(sentence[at + name.size()]));
      if (!whole || at >= first) continue;
      first = at;
      found = name;
    }
  if (first == sentence.npos || found == "text" || found == "stop") return std::nullopt;  // words of any sentence
  return std::string{found};
}

std::optional<std::string> refused_parameter(const server_error& x) {
  auto words = all_words(x);
  bool refused = std::any_of(refusals_of_parameters.begin(), refusals_of_parameters.end(),
                             [&](auto phrase) { return has(words, phrase); });
  if (!refused) return std::nullopt;
  auto name = droppable_parameter(x.parameter);
  return name ? name : named_parameter(x.message);
}

// -- sentences --------------------------------------------------------------------------------------------------------

/// In one line, without control characters, at most `longest_quote` bytes.
std::string quoted_line(std::string_view text) {
  std::string out;
  bool space = false;
  for (char c : text.substr(0, 4 * longest_quote)) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 127) {
      space = !out.empty();
      continue;
    }
    if (std::exchange(space, false)) out += ' ';
    out += c;
  }
  return out.size() <= longest_quote ? valid_utf8(out) : valid_utf8(out.substr(0, longest_quote)) + "...";
}

/// "<title>502 Bad Gateway</title>"
std::string title_of(std::string_view html) {
  auto low = in_lower_case(html);
  auto begin = low.find("<title>");
  if (begin == low.npos) return {};
  auto end = low.find("</title>", begin);
  return std::string{html.substr(begin + 7, end == low.npos ? 80 : end - begin - 7)};
}

llm_failure made(failure_kind kind, std::string detail, const model& asked) {
  return {.kind = kind, .detail = valid_utf8(asked.key.scrub(asked.name + " " + std::move(detail)))};
}

std::string behind_colon(const std::string& text) { return text.empty() ? "" : ": " + text; }

bool is_html(std::string_view body) {
  auto low = in_lower_case(body.substr(0, 512));
  return has(low, "<html") || has(low, "<!doctype");
}

server_error error_in(const failed_answer& x) {
  server_error out;
  if (auto doc = parse_server_json(x.body))
    if (auto found = read_error(json_view{*doc})) out = *found;
  if (out.message.empty() && out.code.empty()) {
    if (auto doc = parse_server_json(x.body)) out.message = json_view{*doc}["message"].word();
    if (out.message.empty()) out.message = is_html(x.body) ? title_of(x.body) : std::string{x.body};
  }
  out.status = x.head.status;
  return out;
}

/// Host and scheme of a Location; the rest may hold anything.
std::string redirect_target(std::string_view location) {
  auto host = location.find("://");
  auto end = host == location.npos ? location.npos : location.find_first_of("/?#", host + 3);
  return std::string{location.substr(0, std::min<std::size_t>(end, 120))};
}

}  // namespace

std::optional<std::string> droppable_parameter(std::string_view name) {
  auto top = name.substr(0, name.find_first_of(".["));
  auto found = std::find(droppable_names.begin(), droppable_names.end(), top);
  if (found == droppable_names.end()) return std::nullopt;
  return std::string{*found};
}

llm_failure failure_of(const server_error& x, const model& asked) {
  auto status = x.status;
  auto type = in_lower_case(x.type + ' ' + x.code);
  for (const auto& [name, meaning] : type_status)
    if (status == 0 && has(type, name)) status = meaning;
  if (status == 0) status = 500;
  auto by_words = kind_by_words(x);
  // Who is limited or unknown is told so by the status; any words may stand beside it.
  bool trust = by_words && (*by_words == failure_kind::quota_exhausted || (status != 429 && status != 401));
  auto kind = trust ? *by_words : kind_by_status(status);
  auto parameter = kind == failure_kind::bad_request ? refused_parameter(x) : std::nullopt;
  auto code = x.code.empty() ? x.type : x.code;
  auto said = quoted_line(x.message);
  auto out = made(parameter ? failure_kind::parameter_refused : kind,
                  (x.status != 0 ? "answered " + std::to_string(x.status) : "broke off with an error")
                      + (code.empty() || code == std::to_string(x.status) ? "" : " (" + quoted_line(code) + ")")
                      + behind_colon(said),
                  asked);
  out.http_status = x.status;
  out.provider_code = asked.key.scrub(quoted_line(code));
  out.parameter = parameter.value_or("");
  return out;
}

llm_failure failure_of(const failed_answer& x, const model& asked) {
  auto status = x.head.status;
  if (status >= 300 && status < 400) {
    auto out = made(failure_kind::redirected,
                    "answered " + std::to_string(status) + " and points to "
                        + quoted_line(redirect_target(x.head.header("location")))
                        + ": a key is sent to the configured host alone; correct base_url",
                    asked);
    out.http_status = status;
    return out;
  }
  if (status >= 200 && status < 300) {
    auto type = x.head.header("content-type");
    auto out = made(failure_kind::malformed_reply,
                    "answered with " + (type.empty() ? "no content type" : quoted_line(type)) + " and no reply"
                        + behind_colon(quoted_line(is_html(x.body) ? title_of(x.body) : x.body)),
                    asked);
    out.http_status = status;
    return out;
  }
  auto out = failure_of(error_in(x), asked);
  out.retry_after = retry_after(x.head, x.now);
  return out;
}

llm_failure failure_of(const http_end& x, const model& asked) {
  auto kind = [&] {
    switch (x.fault) {
      case http_fault::none:
      case http_fault::cut: return failure_kind::cut_stream;
      case http_fault::stopped:
      case http_fault::malformed: return failure_kind::malformed_reply;
      case http_fault::cancelled: return failure_kind::cancelled;
      case http_fault::name_not_found: return failure_kind::name_not_found;
      case http_fault::connection_failed: return failure_kind::connection_failed;
      case http_fault::tls_failed: return failure_kind::tls_failed;
      case http_fault::connect_timeout: return failure_kind::connect_timeout;
      case http_fault::first_token_timeout: return failure_kind::first_token_timeout;
      case http_fault::idle_timeout: return failure_kind::idle_timeout;
      case http_fault::total_timeout: return failure_kind::total_timeout;
    }
    return failure_kind::unknown;
  }();
  auto said = x.fault == http_fault::none ? "the connection ended before the answer did" : quoted_line(x.detail);
  return made(kind, (x.fault == http_fault::cancelled ? "was cancelled" : "failed") + behind_colon(said), asked);
}

llm_failure failure_of(failure_kind kind, const std::string& detail, const model& asked) {
  return made(kind, detail, asked);
}

}  // namespace llm_client
