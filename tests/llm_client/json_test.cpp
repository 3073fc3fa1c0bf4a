#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "llm_client/json_splitter.hpp"
#include "llm_client/json_text.hpp"
#include "llm_client/json_view.hpp"
#include "llm_client/utf8.hpp"

namespace json_test {

using namespace llm_client;
using texts = std::vector<std::string>;

namespace {

texts documents_of(std::string_view text, std::size_t packet, bool& within) {
  json_splitter splitter{64};
  texts out;
  within = true;
  for (std::size_t i = 0; i < text.size(); i += packet)
    within = splitter.feed(text.substr(i, packet), [&](std::string& x) { return out.push_back(x), true; });
  return out;
}

}  // namespace

TEST_CASE("documents are found wherever packets are cut") {
  const texts wanted{R"({"a":"}\"{"})", "[1,[2],{}]", "{}", R"({"\\":["]"]})"};
  std::string text = "\n\n " + wanted[0] + wanted[1] + "\n" + wanted[2] + "\r\n\t" + wanted[3] + "\n";
  for (std::size_t packet = 1; packet <= text.size(); ++packet) {
    bool within = false;
    CHECK(documents_of(text, packet, within) == wanted);
    CHECK(within);
  }
}

TEST_CASE("what begins no document, or has no end, is refused") {
  bool within = true;
  CHECK(documents_of("<html>", 2, within).empty());
  CHECK_FALSE(within);
  CHECK(documents_of("{}x{}", 1, within) == texts{"{}"});
  CHECK_FALSE(within);
  documents_of("[" + std::string(100, '1'), 7, within);
  CHECK_FALSE(within);
  documents_of(std::string(200, '['), 200, within);
  CHECK_FALSE(within);
  json_splitter cut;
  CHECK(cut.feed("{\"a\":", [](std::string&) { return true; }));
  CHECK(cut.in_document());
}

TEST_CASE("any bytes in any packets end without harm") {
  std::mt19937 random{2};
  const std::string alphabet = "{}[]\"\\,: \na1";
  for (int round = 0; round < 3000; ++round) {
    json_splitter splitter{48};
    for (int packet = 0; packet < 12; ++packet) {
      std::string bytes(random() % 24, ' ');
      for (char& c : bytes) c = alphabet[random() % alphabet.size()];
      splitter.feed(bytes, [](std::string& x) {
        CHECK(x.size() <= 48);
        return true;
      });
    }
  }
}

TEST_CASE("what is no UTF-8 becomes a mark for each piece of it") {
  const std::string mark = "\xef\xbf\xbd";
  CHECK(valid_utf8("Gr\xc3\xbc\xc3\x9f" "e \xf0\x9f\x98\x80") == "Gr\xc3\xbc\xc3\x9f" "e \xf0\x9f\x98\x80");
  CHECK(valid_utf8("a\xc3") == "a" + mark);
  CHECK(valid_utf8("a\xf0\x9f\x98"
                   "b")
        == "a" + mark + "b");
  CHECK(valid_utf8("\xc0\xaf") == mark + mark);             // overlong
  CHECK(valid_utf8("\xed\xa0\x80") == mark + mark + mark);  // half of a pair
  CHECK(valid_utf8("\xf4\x90\x80\x80") == mark + mark + mark + mark);
  CHECK(valid_utf8("\xff\x80") == mark + mark);
}

TEST_CASE("texts that are written are read again as they were") {
  std::string odd = "quote \" back \\ line\n tab\t nul";
  odd += '\0';
  odd += "\x1f\x7f é";
  json_object object;
  object.text("k\"", odd).integer("i", -5).number("x", 0.1).boolean("b", true).json("n", "null");
  auto text = object.take();
  auto doc = parse_server_json(text);
  REQUIRE(doc);
  json_view x{*doc};
  CHECK(x["k\""].text() == odd);
  CHECK(x["i"].word() == "-5");
  CHECK(x["b"].boolean());
  CHECK_FALSE(x["n"]);
  CHECK(text.find("0.1,") != text.npos);
}

TEST_CASE("a view has an answer whatever is there") {
  auto doc = parse_server_json(R"({"a":null,"t":"x","n":3,"r":4.0,"f":4.5,"s":-1,"l":[1,{"m":2}],"t":"second"})");
  REQUIRE(doc);
  json_view x{*doc};
  CHECK_FALSE(x["a"]);
  CHECK_FALSE(x["none"]["deeper"].first()["x"]);
  CHECK(x["t"].text() == "x");
  CHECK(x["n"].text().empty());
  CHECK(x["n"].count() == 3);
  CHECK(x["r"].count() == 4);
  CHECK_FALSE(x["f"].count());
  CHECK_FALSE(x["s"].count());
  CHECK(x["n"].word() == "3");
  CHECK(x["l"].size() == 2);
  std::size_t objects = 0;
  x["l"].each([&](json_view element) { objects += element["m"].count() == 2; });
  CHECK(objects == 1);
}

TEST_CASE("halves of escaped characters are repaired, whole ones are not") {
  auto text = [](std::string_view json) {
    auto doc = parse_server_json(json);
    REQUIRE(doc);
    return std::string{json_view{*doc}["t"].text()};
  };
  CHECK(text(R"({"t":"\ud83d\ude00"})") == "\xf0\x9f\x98\x80");
  CHECK(text(R"({"t":"a\ud83d"})") == "a\xef\xbf\xbd");
  CHECK(text(R"({"t":"\ude00\\ud83d"})") == "\xef\xbf\xbd\\ud83d");
  CHECK(text(R"({"t":"\ud83d\u0041"})") == "\xef\xbf\xbd" "A");
}

TEST_CASE("documents that are too deep or too large are refused") {
  CHECK_FALSE(parse_server_json(std::string(100, '[') + std::string(100, ']')));
  CHECK_FALSE(parse_server_json("[" + std::string(33u << 20, ' ') + "]"));
}

}  // namespace json_test
