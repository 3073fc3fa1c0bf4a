#include "llm_client/client.hpp"

#include "llm_client/answer_reader.hpp"
#include "llm_client/schema.hpp"

namespace llm_client {

namespace {

wall_time wall_clock_now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

http_request request_of(const call& x, configs::llm_deadlines deadlines) {
  const auto& model = *x.model;
  body_input input{model, x.request, x.without};
  // An answer that is no stream begins when it is whole.
  if (!input.stream()) deadlines.first_token = deadlines.total;
  return {.url = request_url(model),
          .headers = request_headers(model, input.stream()),
          .body = protocol_of(model.server.protocol).body(input),
          .proxy = model.server.proxy,
          .ca_file = model.server.ca_file,
          .deadlines = deadlines};
}

}  // namespace

http_id client::start(call x, call_events events) {
  if (x.request.schema) {
    if (auto ok = check_schema(x.request.schema->json); !ok) {
      auto failure =
          failure_of(messages::llm_failure_kind::bad_request, "was not asked: " + ok.error().detail, *x.model);
      loop_.run([done = std::move(events.done), failure] { done(tl::unexpected{failure}); });
      return 0;
    }
  }
  auto request = request_of(x, deadlines_);
  auto reader = std::make_shared<answer_reader>(std::move(x), std::move(events), limits_);
  http_events listening{
      .head = [reader](const http_head& head) { reader->head(head); },
      .body = [reader](std::string_view bytes) { return reader->body(bytes); },
      .done = [reader](const http_end& end) { reader->events().done(reader->end(end, wall_clock_now())); }};
  return loop_.start(std::move(request), std::move(listening));
}

}  // namespace llm_client
