#include "llm_client/sse_parser.hpp"

#include <doctest/doctest.h>
#include <random>
#include <vector>

namespace sse_parser_test {

using llm_client::sse_event;
using llm_client::sse_parser;

namespace {

/// "name|data" of each event, fed in packets of so many bytes.
std::vector<std::string> events_of(std::string_view text, std::size_t packet, sse_parser&& parser = sse_parser{}) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size(); i += packet)
    parser.feed(text.substr(i, packet), [&](sse_event& x) {
      out.push_back(x.name + "|" + x.data);
      return true;
    });
  return out;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("events are the same wherever packets are cut and however lines end") {
  const texts wanted{"|one", "two|a\nb", "|", "|x: y", "|last"};
  for (std::string end : {"\n", "\r\n", "\r"}) {
    std::string text =
        "\xef\xbb\xbf"
        "data: one$$: comment$event: two$data:a$data: b$$data$$data: x: y$id: 7$retry: 5$$event: none$$data: last$$";
    for (auto at = text.find('$'); at != text.npos; at = text.find('$')) text.replace(at, 1, end);
    for (std::size_t packet = 1; packet <= text.size(); ++packet) CHECK(events_of(text, packet) == wanted);
  }
}

TEST_CASE("only the first blank behind a colon is dropped, and only the first line may begin with a mark") {
  CHECK(events_of("data:  two blanks\n\n", 3) == texts{"| two blanks"});
  CHECK(events_of("data: a\n\n\xef\xbb\xbf"
                  "data: b\n\n",
                  64)
        == texts{"|a"});
}

TEST_CASE("what is no event yet is none") {
  sse_parser parser;
  std::size_t events = 0;
  auto count = [&](sse_event&) { return ++events, true; };
  CHECK(parser.feed("data: a\n", count));
  CHECK(events == 0);
  CHECK(parser.in_event());
  CHECK(parser.feed("\n", count));
  CHECK(events == 1);
  CHECK_FALSE(parser.in_event());
  CHECK(parser.feed(":\n:\n\n\n", count));
  CHECK(events == 1);
  CHECK(parser.comments() == 2);
}

TEST_CASE("a listener that has enough hears no more of the packet") {
  sse_parser parser;
  std::size_t events = 0;
  CHECK(parser.feed("data: a\n\ndata: b\n\n", [&](sse_event&) { return ++events, false; }));
  CHECK(events == 1);
}

TEST_CASE("a line and an event without end are refused, and nothing after them is read") {
  sse_parser lines{{.line_bytes = 10, .event_bytes = 100}};
  auto any = [](sse_event&) { return true; };
  CHECK(lines.feed("data: 1234\n\n", any));
  CHECK_FALSE(lines.feed("data: 12345", any));
  CHECK_FALSE(lines.feed("\n\ndata: 1\n\n", any));

  sse_parser events{{.line_bytes = 100, .event_bytes = 10}};
  CHECK(events.feed("data: 123456789\n\n", any));
  bool within = true;
  for (int i = 0; i < 6; ++i) within = events.feed("data: 1\n", any);
  CHECK_FALSE(within);
}

TEST_CASE("any bytes in any packets end without harm, and memory stays within the limits") {
  std::mt19937 random{1};
  const std::string alphabet = std::string{"data: event:\r\n\n:{}\xef\xbb\xbf\xc3"} + '\0';
  for (int round = 0; round < 2000; ++round) {
    sse_parser parser{{.line_bytes = 64, .event_bytes = 128}};
    for (int packet = 0; packet < 20; ++packet) {
      std::string bytes(random() % 40, ' ');
      for (char& c : bytes) c = alphabet[random() % alphabet.size()];
      parser.feed(bytes, [](sse_event& x) {
        CHECK(x.data.size() <= 128);
        return true;
      });
    }
  }
}

}  // namespace sse_parser_test
