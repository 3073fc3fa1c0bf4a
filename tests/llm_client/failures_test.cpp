#include "llm_client/failures.hpp"

#include <doctest/doctest.h>
#include <sstream>

#include "tests/configs/files.hpp"

namespace failures_test {

using namespace llm_client;
using namespace std::chrono_literals;
using kind = messages::llm_failure_kind;

namespace {

constexpr wall_time now{std::chrono::sys_days{std::chrono::year{2026} / 11 / 29} + 12h};

std::optional<std::chrono::milliseconds> patience(std::vector<std::pair<std::string, std::string>> headers) {
  return retry_after({429, std::move(headers)}, now);
}

kind kind_of(std::uint32_t status, std::string_view body, std::string_view type = "application/json") {
  http_head head{status, {{"content-type", std::string{type}}}};
  return failure_of({head, body, now}, model{.name = "m"}).kind;
}

}  // namespace

TEST_CASE("Retry-After is seconds, with or without a fraction, or a date in any of the three forms") {
  CHECK(patience({{"retry-after", "120"}}) == 120s);
  CHECK(patience({{"retry-after", "1.5"}}) == 1500ms);
  CHECK(patience({{"retry-after-ms", "250"}, {"retry-after", "9"}}) == 250ms);
  CHECK(patience({{"retry-after", "Sun, 29 Nov 2026 12:00:30 GMT"}}) == 30s);
  CHECK(patience({{"retry-after", "Sunday, 29-Nov-26 12:00:30 GMT"}}) == 30s);
  CHECK(patience({{"retry-after", "Sun Nov 29 12:00:30 2026"}}) == 30s);
  CHECK(patience({{"retry-after", "Sun, 29 Nov 2026 11:00:00 GMT"}}) == 0s);
  CHECK(patience({{"retry-after", "9999999999"}}) == 24h);
  CHECK(patience({{"retry-after", "Sun, 29 Nov 2026 12:00:30 GMT"}, {"date", "Sun, 29 Nov 2026 12:00:10 GMT"}}) == 20s);
}

TEST_CASE("a Retry-After that is neither says nothing") {
  for (auto text : {"", "soon", "-5", "nan", "1 minute", "Sun, 31 Feb 2026 12:00:00 GMT", "Sun, 29 Nov 2026",
                    "Sun, 29 Xxx 2026 12:00:30 GMT", "Sun, 29 Nov 2026 25:00:30 GMT"})
    CHECK_FALSE(patience({{"retry-after", text}}));
  CHECK_FALSE(patience({}));
}

TEST_CASE("a key prints as nothing and is cut out of what servers repeat") {
  secret key{"sk-proj-abcdefghijklmnopqrstuvwxyz"};
  std::ostringstream out;
  out << key;
  CHECK(out.str().empty());
  CHECK(key.scrub("bad key sk-proj-abcdefghijklmnopqrstuvwxyz!") == "bad key [key]!");
  CHECK(key.scrub("bad key sk-proj-abcd****opqrstuvwxyz") == "bad key [key]****[key]");
  CHECK(secret{}.scrub("text") == "text");
}

TEST_CASE("a key comes from its variable or file, and the sentence without one names these and no value") {
  test::folder folder;
  auto around = test::around({{"GOOD", " k-123456\n"}, {"BAD", "two words"}});
  auto from = [&](const std::string& variable, const std::string& file = {}) {
    configs::llm_provider_options x;
    x.key_variable = variable;
    x.key_file = file;
    return load_key(x, around);
  };
  CHECK(from("GOOD")->reveal() == "k-123456");
  CHECK(from("")->empty());
  CHECK(test::sentence_of(from("NONE"))
        == "the environment variable NONE is empty or not set; put the key of the provider there");
  CHECK(test::sentence_of(from("BAD")).find("two words") == std::string::npos);
  auto file = folder.write("key", "k-file-1\n").string();
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  CHECK(from("", file)->reveal() == "k-file-1");
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
  CHECK(test::sentence_of(from("", file)).find("chmod 600") != std::string::npos);
}

TEST_CASE("the status decides where the words do not") {
  CHECK(kind_of(500, "") == kind::server_error);
  CHECK(kind_of(503, "{}") == kind::overloaded);
  CHECK(kind_of(529, "x") == kind::overloaded);
  CHECK(kind_of(408, "") == kind::overloaded);
  CHECK(kind_of(413, "") == kind::request_too_large);
  CHECK(kind_of(418, "") == kind::bad_request);
  CHECK(kind_of(204, "") == kind::malformed_reply);
  CHECK(kind_of(404, R"({"detail":"Not Found"})") == kind::not_found);
}

TEST_CASE("words decide where they are certain") {
  CHECK(kind_of(413, R"({"error":{"message":"Request too large: limit 6000 tokens per minute"}})")
        == kind::rate_limited);
  CHECK(kind_of(429, R"({"error":{"message":"prompt is too long"}})") == kind::rate_limited);
  CHECK(kind_of(500, R"({"error":"maximum context length is 5"})") == kind::context_too_long);
  CHECK(kind_of(400, R"([{"error":{"message":"Insufficient credits"}}])") == kind::quota_exhausted);
  CHECK(kind_of(404, R"({"error":"model 'x' not found, try pulling it first"})") == kind::not_found);
}

TEST_CASE("parameters that requests can go without are found by their name alone") {
  auto refused = [](std::string_view message) {
    return failure_of(server_error{.status = 400, .message = std::string{message}}, model{.name = "m"});
  };
  CHECK(refused("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.")
            .parameter
        == "max_tokens");
  CHECK(refused("`temperature` is deprecated for this model").parameter == "temperature");
  CHECK(refused("temperature: Extra inputs are not permitted").parameter == "temperature");
  CHECK(refused("output_config.format: Extra inputs are not permitted").parameter == "output_config");
  CHECK(refused("Unsupported parameter: 'messages'").kind == kind::bad_request);
  CHECK(refused("temperature must be a number").kind == kind::bad_request);
  CHECK(refused("this text is not supported").kind == kind::bad_request);
  CHECK(droppable_parameter("response_format.json_schema") == "response_format");
  CHECK_FALSE(droppable_parameter("model"));
}

TEST_CASE("a sentence is one line of bounded length") {
  auto x =
      failure_of(server_error{.status = 500, .message = "a\n\n\tb\x01" + std::string(5000, 'x')}, model{.name = "m"});
  CHECK(x.detail.starts_with("m answered 500: a b xxx"));
  CHECK(x.detail.size() < 400);
  CHECK(x.detail.find('\n') == x.detail.npos);
}

}  // namespace failures_test
