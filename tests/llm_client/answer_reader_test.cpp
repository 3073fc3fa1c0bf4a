// Whole streams through the reader of answers, cut and damaged everywhere.

#include "llm_client/answer_reader.hpp"

#include <cstdlib>
#include <random>

#include <doctest/doctest.h>

#include "configs/bounded_file.hpp"
#include "tests/llm_client/good_streams.hpp"

namespace answer_reader_test {

using namespace llm_client;
using configs::llm_protocol;
using kind = messages::llm_failure_kind;

namespace {

struct recorded {
  llm_protocol protocol;
  std::string_view stream;
  std::string_view whole_at;  ///< with these bytes the server has said why the model stopped
};

constexpr recorded all_streams[]{
    {llm_protocol::chat_completions, good_streams::chat, "\"finish_reason\":\"stop\"}]}\n\n"},
    {llm_protocol::responses, good_streams::responses, "\"reasoning_tokens\":1}}}}\n\n"},
    {llm_protocol::messages, good_streams::messages, "\"usage\":{\"output_tokens\":4}}\n\n"}};

struct heard {
  std::string text, reasoning;
  std::uint64_t done = 0;
};

call call_at(llm_protocol protocol) {
  model x{.name = "m"};
  x.server.protocol = protocol;
  return {std::make_shared<const model>(std::move(x)), {.messages = {{.text = "Q"}}}, {}};
}

/// The outcome of these bytes in packets of that size, at the end of which the connection ends.
outcome read_in_packets(llm_protocol protocol, std::string_view bytes, std::size_t packet, heard* to = nullptr) {
  call_events events;
  if (to) {
    events.text = [to](std::string_view x) { to->text += x; };
    events.reasoning = [to](std::string_view x) { to->reasoning += x; };
  }
  answer_reader reader{call_at(protocol), std::move(events), {}};
  reader.head({200, {{"content-type", "text/event-stream"}}});
  http_end end;
  for (std::size_t i = 0; i < bytes.size(); i += packet) {
    auto wish = reader.body(bytes.substr(i, packet));
    if (wish == reader_wish::stop) end.fault = http_fault::stopped;
    if (wish == reader_wish::whole || wish == reader_wish::stop) break;
  }
  return reader.end(end, {});
}

std::size_t rounds(std::size_t by_default) {
  auto wanted = std::getenv("LLM_FUZZ");
  return wanted ? std::strtoull(wanted, nullptr, 10) : by_default;
}

std::string damaged(std::string_view stream, std::mt19937_64& random) {
  std::string x{stream};
  auto at = [&] { return random() % (x.size() + 1); };
  for (auto changes = 1 + random() % 6; changes > 0; --changes) {
    auto begin = at(), end = std::min<std::size_t>(x.size(), begin + random() % 60);
    switch (random() % 5) {
      case 0: x.erase(begin, end - begin); break;
      case 1: x.insert(at(), x.substr(begin, end - begin)); break;
      case 2: x.insert(begin, 1, static_cast<char>(random())); break;
      case 3: x.resize(begin); break;
      default:
        if (!x.empty()) x[begin % x.size()] = static_cast<char>(random());
    }
  }
  return x;
}

}  // namespace

TEST_CASE("a stream is the same reply wherever its packets are cut") {
  for (const auto& x : all_streams)
    for (std::size_t packet = 1; packet < x.stream.size(); packet += packet < 20 ? 1 : 37) {
      heard to;
      auto reply = read_in_packets(x.protocol, x.stream, packet, &to);
      REQUIRE_MESSAGE(reply, reply.error().detail);
      CHECK(reply->text == "Gr\xc3\xbc\xc3\x9f \"dich\"");
      CHECK(reply->reasoning == "Hm \xc3\xa9.");
      CHECK(reply->stop == messages::llm_stop::complete);
      CHECK(reply->usage.input_tokens == 9);
      CHECK(reply->usage.cached_input_tokens == 3);
      CHECK(reply->usage.output_tokens == 4);
      CHECK(to.text == reply->text);
      CHECK(to.reasoning == reply->reasoning);
    }
}

TEST_CASE("a stream that is cut anywhere is no reply, and what arrived is kept") {
  for (const auto& x : all_streams) {
    auto whole_at = x.stream.find(x.whole_at) + x.whole_at.size();
    REQUIRE(whole_at < x.stream.size() + 1);
    std::size_t longest = 0;
    for (std::size_t length = 1; length < whole_at; ++length) {
      auto cut = read_in_packets(x.protocol, x.stream.substr(0, length), 64);
      REQUIRE_FALSE(cut);
      // The last line end may be missing: then the last event has not been read.
      CHECK(cut.error().kind == kind::cut_stream);
      CHECK(cut.error().partial.text.size() >= longest);
      longest = cut.error().partial.text.size();
    }
    CHECK(longest == 13);
    CHECK(read_in_packets(x.protocol, x.stream.substr(0, whole_at), 64));
  }
}

TEST_CASE("an answer that is no stream is read by its first byte") {
  auto x = read_in_packets(llm_protocol::chat_completions,
                           R"( {"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]})", 5);
  REQUIRE(x);
  CHECK(x->text == "Hello");
  CHECK_FALSE(x->usage.reported);
  CHECK(read_in_packets(llm_protocol::chat_completions, "<html>", 5).error().kind == kind::malformed_reply);
  CHECK(read_in_packets(llm_protocol::chat_completions, R"({"choices":[{"mess)", 5).error().kind == kind::cut_stream);
}

TEST_CASE("damaged streams: whatever comes is an outcome, texts are UTF-8, and an error is no reply") {
  std::mt19937_64 random{11};
  std::size_t replies = 0, failures = 0;
  for (std::size_t round = rounds(3000); round > 0; --round) {
    const auto& x = all_streams[random() % 3];
    auto bytes = damaged(x.stream, random);
    auto result = read_in_packets(x.protocol, bytes, 1 + random() % 100);
    result ? ++replies : ++failures;
    const auto& reply = result ? *result : result.error().partial;
    REQUIRE(configs::valid_utf8(reply.text + reply.reasoning + reply.id + reply.model));
    if (result) REQUIRE(reply.stop == messages::llm_stop::complete);
    if (!result) REQUIRE(configs::valid_utf8(result.error().detail));
  }
  CHECK(replies > 100);
  CHECK(failures > 100);
}

}  // namespace answer_reader_test
