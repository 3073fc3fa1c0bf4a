#include <doctest/doctest.h>

#include "llm_client/protocol.hpp"

namespace request_test {

using namespace llm_client;
using configs::llm_dialect;
using configs::llm_protocol;
using messages::llm_effort;

namespace {

model model_at(llm_protocol protocol, llm_dialect dialect = llm_dialect::standard) {
  model x{.name = "big", .served_as = "served"};
  x.server.protocol = protocol;
  x.server.dialect = dialect;
  x.server.base_url = "https://h.example/v1/";
  return x;
}

std::string body_of(const model& x, const messages::llm_request& request, const parameter_set& without = {}) {
  return protocol_of(x.server.protocol).body({x, request, without});
}

messages::llm_request short_request() { return {.system = "S", .messages = {{.text = "Q"}}, .output_tokens = 100}; }

messages::llm_request full_request() {
  auto x = short_request();
  x.messages = {
      {.text = "A", .stable = true}, {.speaker = messages::llm_speaker::assistant, .text = "B"}, {.text = "C"}};
  x.output_tokens = 50'000;
  x.temperature = 0.5;
  x.top_p = 0.25;
  x.seed = 7;
  x.stop = {"END"};
  x.effort = llm_effort::medium;
  x.schema = messages::llm_schema{"a b", R"({"type":"object"})"};
  return x;
}

bool has_header(const model& x, const std::string& line) {
  auto all = request_headers(x, true);
  return std::find(all.begin(), all.end(), line) != all.end();
}

}  // namespace

TEST_CASE("Chat Completions: the whole body") {
  auto x = model_at(llm_protocol::chat_completions);
  CHECK(body_of(x, short_request())
        == R"({"model":"served","messages":[{"role":"system","content":"S"},{"role":"user","content":"Q"}],)"
           R"("max_completion_tokens":100,"stream":true,"stream_options":{"include_usage":true}})");
  CHECK(body_of(x, full_request())
        == R"({"model":"served","messages":[{"role":"system","content":"S"},{"role":"user","content":"A"},)"
           R"({"role":"assistant","content":"B"},{"role":"user","content":"C"}],"max_completion_tokens":50000,)"
           R"("temperature":0.5,"top_p":0.25,"seed":7,"stop":["END"],"reasoning_effort":"medium",)"
           R"("response_format":{"type":"json_schema","json_schema":{"name":"a_b","schema":{"type":"object"}}},)"
           R"("stream":true,"stream_options":{"include_usage":true}})");
}

TEST_CASE("Responses: the whole body") {
  auto x = model_at(llm_protocol::responses);
  CHECK(body_of(x, full_request())
        == R"({"model":"served","instructions":"S","input":[{"role":"user","content":"A"},)"
           R"({"role":"assistant","content":"B"},{"role":"user","content":"C"}],"max_output_tokens":50000,)"
           R"("temperature":0.5,"top_p":0.25,"reasoning":{"effort":"medium"},"text":{"format":{"type":"json_schema",)"
           R"("name":"a_b","schema":{"type":"object"},"strict":false}},"store":false,"stream":true})");
}

TEST_CASE("Messages: the whole body; caches are marked, and thinking leaves sampling alone") {
  auto x = model_at(llm_protocol::messages);
  CHECK(body_of(x, full_request())
        == R"({"model":"served","system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],)"
           R"("messages":[{"role":"user","content":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}}]},)"
           R"({"role":"assistant","content":[{"type":"text","text":"B"}]},)"
           R"({"role":"user","content":[{"type":"text","text":"C"}]}],"max_tokens":50000,)"
           R"("thinking":{"type":"enabled","budget_tokens":8192},)"
           R"("output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},)"
           R"("stop_sequences":["END"],"stream":true})");
  x.facts.reasoning = configs::reasoning_form::adaptive;
  auto body = body_of(x, full_request());
  CHECK(body.find(R"("thinking":{"type":"adaptive"},"output_config":{"effort":"medium","format":)") != body.npos);
  auto calm = full_request();
  calm.effort = llm_effort::none;
  body = body_of(x, calm);
  CHECK(body.find("thinking") == body.npos);
  CHECK(body.find(R"("temperature":0.5,"stop_sequences")") != body.npos);  // and not top_p beside it
}

TEST_CASE("of many stable messages the last are marked, four with the system's") {
  auto request = short_request();
  request.messages = std::vector<messages::llm_message>(6, {.text = "A", .stable = true});
  auto body = body_of(model_at(llm_protocol::messages), request);
  std::size_t marks = 0;
  for (auto at = body.find("cache_control"); at != body.npos; at = body.find("cache_control", at + 1)) ++marks;
  CHECK(marks == 4);
  CHECK(body.find(R"("text":"A"}]},{"role")") != body.npos);
}

TEST_CASE("dialects: what is sent elsewhere") {
  auto deepseek = body_of(model_at(llm_protocol::chat_completions, llm_dialect::deepseek), full_request());
  CHECK(deepseek.find(R"("max_tokens":50000)") != deepseek.npos);
  CHECK(deepseek.find(R"("response_format":{"type":"json_object"})") != deepseek.npos);
  CHECK(deepseek.find("reasoning_effort") == deepseek.npos);
  for (auto dialect :
       {llm_dialect::vllm, llm_dialect::sglang, llm_dialect::ollama, llm_dialect::llama_cpp, llm_dialect::openrouter}) {
    auto body = body_of(model_at(llm_protocol::chat_completions, dialect), full_request());
    CHECK(body.find(R"("max_tokens":50000)") != body.npos);
    CHECK(body.find(R"("type":"json_schema")") != body.npos);
  }
  auto router = model_at(llm_protocol::chat_completions, llm_dialect::openrouter);
  router.facts.cache = configs::cache_form::marked;
  auto body = body_of(router, full_request());
  CHECK(body.find(R"("content":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}}])") != body.npos);
}

TEST_CASE("what a model refuses is left out, and a refused name of the limit gives way to the other") {
  auto x = model_at(llm_protocol::chat_completions);
  x.facts.refuses = {"temperature", "seed"};
  auto body = body_of(x, full_request(), {"stop", "stream_options", "max_completion_tokens"});
  for (auto name : {"temperature", "seed", "\"stop\"", "stream_options", "max_completion_tokens"})
    CHECK(body.find(name) == body.npos);
  CHECK(body.find(R"("max_tokens":50000)") != body.npos);
  body = body_of(x, full_request(), {"max_tokens", "max_completion_tokens", "stream"});
  CHECK(body.find("max_") == body.npos);
  CHECK(body.find("stream") == body.npos);
}

TEST_CASE("where it is sent, and with which headers") {
  auto x = model_at(llm_protocol::chat_completions);
  x.key = secret{"k-123456"};
  CHECK(request_url(x) == "https://h.example/v1/chat/completions");
  CHECK(has_header(x, "Authorization: Bearer k-123456"));
  x.server.dialect = llm_dialect::azure;
  x.server.api_version = "2024-10-21";
  CHECK(request_url(x) == "https://h.example/v1/chat/completions?api-version=2024-10-21");
  CHECK(has_header(x, "api-key: k-123456"));
  x.server = model_at(llm_protocol::messages).server;
  CHECK(request_url(x) == "https://h.example/v1/messages");
  CHECK(has_header(x, "x-api-key: k-123456"));
  CHECK(has_header(x, "anthropic-version: 2023-06-01"));
  x.key = {};
  for (const auto& line : request_headers(x, true)) CHECK_FALSE(line.starts_with("x-api-key"));
  CHECK(request_url(model_at(llm_protocol::responses)) == "https://h.example/v1/responses");
}

}  // namespace request_test
