#include "llm_client/answer_reader.hpp"

#include "llm_client/schema.hpp"

namespace llm_client {

namespace {

using ending = messages::llm_failure_kind;

constexpr std::string_view blank = " \t\r\n";
constexpr std::string_view thought_begin = "<think>", thought_end = "</think>";

bool is_blank(std::string_view text) { return text.find_first_not_of(blank) == text.npos; }

std::string_view from_first_word(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(blank), text.size()));
}

/// Servers that do not know a model's way of reasoning leave it at the start of its answer.
void move_thoughts(messages::llm_reply& reply) {
  auto text = from_first_word(reply.text);
  if (!text.starts_with(thought_begin)) return;
  auto end = text.find(thought_end);
  reply.reasoning.append(text.substr(thought_begin.size(), end == text.npos ? end : end - thought_begin.size()));
  reply.text = end == text.npos ? "" : std::string{from_first_word(text.substr(end + thought_end.size()))};
}

std::chrono::milliseconds since(loop_clock::time_point begin, loop_clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(end - begin);
}

}  // namespace

answer_reader::answer_reader(call x, call_events events, reply_limits limits)
    : call_(std::move(x)),
      events_(std::move(events)),
      limits_(limits),
      protocol_(protocol_of(call_.model->server.protocol)),
      documents_(limits.body_bytes) {}

// -- bytes ------------------------------------------------------------------------------------------------------------

void answer_reader::head(const http_head& head) {
  head_ = head;
  bool good =
      head.status >= 200 && head.status < 300 && head.header("content-type").find("html") == std::string_view::npos;
  if (!good) form_ = form::failing;
}

reader_wish answer_reader::body(std::string_view bytes) {
  bytes_ += bytes.size();
  decide(bytes);
  if (form_ == form::undecided) return bytes_ > limits_.failing_bytes ? reader_wish::stop : reader_wish::more;
  if (form_ == form::failing) {
    keep(bytes);
    return kept_.size() >= limits_.failing_bytes ? reader_wish::stop : reader_wish::began;
  }
  read(bytes);
  if (bytes_ > limits_.body_bytes || draft_.reply.text.size() + draft_.reply.reasoning.size() > limits_.text_bytes)
    draft_.problem = "the answer is longer than any that is read";
  tell_pieces();
  return wish();
}

void answer_reader::decide(std::string_view& bytes) {
  if (form_ != form::undecided) return;
  auto begin = from_first_word(bytes);
  if (begin.empty()) return;
  auto first = begin.front();
  if (first == '{' || first == '[')
    form_ = form::document;
  else if (first == ':' || first == '\xef' || (first >= 'a' && first <= 'z'))  // a comment, a mark, the name of a field
    form_ = form::stream;
  else
    form_ = form::failing;
  bytes = begin;
}

void answer_reader::read(std::string_view bytes) {
  bool within = true;
  if (form_ == form::stream) {
    within = events_parser_.feed(bytes, [&](sse_event& event) {
      protocol_.event(draft_, event);
      return !draft_.error && draft_.problem.empty() && !draft_.closed;
    });
  } else {
    within = documents_.feed(bytes, [&](const std::string& text) {
      read_document(text);
      return false;
    });
  }
  if (!within && draft_.problem.empty()) draft_.problem = "a line or a document of the answer has no end";
}

void answer_reader::read_document(const std::string& text) {
  auto doc = parse_server_json(text);
  if (!doc)
    draft_.problem = "the answer is " + wire::to_string(doc.error());
  else
    protocol_.whole(draft_, json_view{*doc});
}

void answer_reader::keep(std::string_view bytes) {
  kept_.append(bytes.substr(0, limits_.failing_bytes - kept_.size()));
}

reader_wish answer_reader::wish() const {
  if (draft_.error || !draft_.problem.empty()) return reader_wish::stop;
  if (draft_.closed || (draft_.ended && draft_.reply.usage.reported)) return reader_wish::whole;
  return draft_.began ? reader_wish::began : reader_wish::more;
}

void answer_reader::tell_pieces() {
  if (draft_.began && first_token_ == started_) first_token_ = loop_clock::now();
  auto tell = [](const auto& listener, const std::string& all, std::size_t& told) {
    if (listener && told < all.size()) listener(std::string_view{all}.substr(told));
    told = all.size();
  };
  tell(events_.text, draft_.reply.text, told_text_);
  tell(events_.reasoning, draft_.reply.reasoning, told_reasoning_);
}

// -- outcome ----------------------------------------------------------------------------------------------------------

outcome answer_reader::end(const http_end& end, wall_time now) {
  draft_.reply.first_token = since(started_, first_token_);
  draft_.reply.total = since(started_, loop_clock::now());
  if (end.fault == http_fault::cancelled) return fail(failure_of(end, *call_.model));
  bool status_fails = head_.status != 0 && (head_.status < 200 || head_.status >= 300);
  bool ended_by_us = end.fault == http_fault::none || end.fault == http_fault::stopped;
  if (status_fails || (form_ == form::failing && ended_by_us))
    return fail(failure_of({head_, kept_, now}, *call_.model));
  return settle(end);
}

outcome answer_reader::settle(const http_end& end) {
  if (draft_.error) return fail(failure_of(*draft_.error, *call_.model));
  if (!draft_.problem.empty()) return fail(ending::malformed_reply, "answered what it must not: " + draft_.problem);
  if (draft_.ended) return whole_reply();
  if (bytes_ == 0 && end.fault == http_fault::none) return fail(ending::empty_reply, "answered nothing at all");
  return fail(failure_of(end, *call_.model));
}

std::optional<ending> answer_reader::unusable_end() const {
  const auto& x = draft_.reply;
  switch (x.stop) {
    case messages::llm_stop::length: return ending::output_limit;
    case messages::llm_stop::content_filter: return ending::content_filter;
    case messages::llm_stop::refusal: return ending::refused_by_model;
    case messages::llm_stop::tool_call: return ending::tool_call;
    case messages::llm_stop::paused: return ending::cut_stream;
    case messages::llm_stop::unknown: return ending::malformed_reply;
    case messages::llm_stop::complete: break;
  }
  // Some servers call an answer of this protocol completed that was cut at its limit.
  bool responses = call_.model->server.protocol == configs::llm_protocol::responses;
  if (responses && x.usage.reported && x.usage.output_tokens >= call_.request.output_tokens)
    return ending::output_limit;
  if (!draft_.declined.empty()) return ending::refused_by_model;
  if (!is_blank(x.text)) return std::nullopt;
  return x.tool_calls.empty() ? ending::empty_reply : ending::tool_call;
}

outcome answer_reader::whole_reply() {
  move_thoughts(draft_.reply);
  if (auto kind = unusable_end()) {
    auto stop = enum_names(draft_.reply.stop)[static_cast<std::size_t>(draft_.reply.stop)];
    auto words = draft_.declined.empty() ? "" : ": " + draft_.declined.substr(0, 200);
    auto thoughts = draft_.reply.reasoning.empty() || *kind != ending::empty_reply ? "" : ", with reasoning only";
    return fail(*kind, "ended its answer (" + std::string{stop} + ") after " + std::to_string(draft_.reply.text.size())
                           + " bytes" + thoughts + words);
  }
  if (const auto& schema = call_.request.schema) {
    auto document = structured_answer(schema->json, draft_.reply.text);
    if (!document)
      return fail(ending::schema_mismatch, "did not answer what the schema asks for: " + document.error().detail);
    draft_.reply.structured = *std::move(document);
  }
  return std::move(draft_.reply);
}

tl::unexpected<messages::llm_failure> answer_reader::fail(messages::llm_failure failure) {
  failure.partial = std::move(draft_.reply);
  if (failure.http_status == 0) failure.http_status = head_.status;
  return tl::unexpected{std::move(failure)};
}

tl::unexpected<messages::llm_failure> answer_reader::fail(ending kind, const std::string& detail) {
  return fail(failure_of(kind, detail, *call_.model));
}

}  // namespace llm_client
