// The kinds of values that records are made of.

#include <doctest/doctest.h>

#include <cmath>

#include "messages/records/plan.hpp"
#include "messages/wire/base64.hpp"
#include "messages/wire/wire.hpp"
#include "tests/messages/wire_text.hpp"
#include "tests/support/random_values.hpp"

namespace leaf_test {

namespace {

using tests::problem_of;
using tests::raw;

struct number {
  double x = 0;
  void fields(auto& f) { f("x", x); }
};
struct borrowing {
  wire::bytes_view data;
  void fields(auto& f) { f("data", data); }
};
struct owning {
  wire::bytes data;
  void fields(auto& f) { f("data", data); }
};
struct texts {
  std::map<std::string, std::string> by_name;
  void fields(auto& f) { f("by_name", by_name); }
};

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

std::string back_from_json(double x) {
  auto back = wire::from_json<number>(wire::to_json(number{x}))->x;
  if (std::isnan(x)) return std::isnan(back) ? "same" : "not NaN any more";
  return bits(back) == bits(x) ? "same" : "another value";
}

}  // namespace

TEST_CASE("a double comes back bit by bit, and is one on the wire whatever its value") {
  tests::random_values random{4};
  for (int i = 0; i < 30'000; ++i) {
    auto x = std::bit_cast<double>(random.bits());
    if (i % 2) x = static_cast<double>(static_cast<std::int64_t>(random.any_magnitude()));
    if (i == 1) x = -0.0;
    auto packed = wire::pack(number{x});
    REQUIRE(packed.size() == 12);
    REQUIRE(bits(wire::unpack<number>(packed)->x) == bits(x));
    REQUIRE(back_from_json(x) == "same");
  }
}

TEST_CASE("numbers that are not finite are words in JSON") {
  CHECK(wire::to_json(number{std::nan("")}) == R"({"x":"NaN"})");
  CHECK(wire::to_json(number{HUGE_VAL}) == R"({"x":"Infinity"})");
  CHECK(wire::to_json(number{-HUGE_VAL}) == R"({"x":"-Infinity"})");
  CHECK(problem_of(wire::from_json<number>(R"({"x":"infinity"})")) == "x: expected number, got string");
  CHECK(problem_of(wire::unpack<number>(raw("\x81\xa1x\xa3NaN"))) == "x: expected number, got string");
}

TEST_CASE("an integer is accepted where a number is wanted") {
  CHECK(wire::from_json<number>(R"({"x":3})")->x == 3.0);
  CHECK(wire::from_json<number>(R"({"x":-3})")->x == -3.0);
  CHECK(wire::unpack<number>(raw("\x81\xa1x\x03"))->x == 3.0);
}

TEST_CASE("a knob is an integer or a word, told apart by how it is written") {
  messages::plan_group group{
      .name = "g0", .recipe = "map", .knobs = {{"block", 256}, {"negative", -1}, {"word", "256"}}};
  CHECK(wire::to_json(group)
        == R"({"name":"g0","recipe":"map","nodes":[],"knobs":{"block":256,"negative":-1,"word":"256"}})");
  CHECK(wire::from_json<messages::plan_group>(wire::to_json(group))->knobs == group.knobs);
  CHECK(wire::unpack<messages::plan_group>(wire::pack(group))->knobs == group.knobs);
  auto bad = [](std::string_view knob) {
    return problem_of(wire::from_json<messages::plan_group>("{\"knobs\":{\"k\":" + std::string{knob} + "}}"));
  };
  CHECK(bad("true") == "knobs.k: expected integer, got boolean");
  CHECK(bad("[]") == "knobs.k: expected integer, got array");
  CHECK(bad("2.0") == "knobs.k: expected integer, got number");
}

TEST_CASE("any text may be the key of a map") {
  texts x{.by_name = {{"", "empty"}, {"a.b[0]", "path"}, {std::string("\0", 1), "zero"}, {"\"\\\n", "escapes"}}};
  CHECK(wire::unpack<texts>(wire::pack(x))->by_name == x.by_name);
  CHECK(wire::from_json<texts>(wire::to_json(x))->by_name == x.by_name);
}

TEST_CASE("of two equal keys in a map the last one counts") {
  auto x = wire::from_json<texts>(R"({"by_name":{"a":"1","b":"2","a":"3"}})");
  REQUIRE_MESSAGE(x, problem_of(x));
  CHECK(x->by_name == std::map<std::string, std::string>{{"a", "3"}, {"b", "2"}});
}

TEST_CASE("a borrowed blob points into the input") {
  auto input = wire::pack(owning{.data = raw(std::string(1000, 'x'))});
  auto x = wire::unpack<borrowing>(input);
  REQUIRE(x);
  CHECK(x->data.data() == input.data() + (input.size() - 1000));
  CHECK(wire::pack(*x) == input);
  CHECK(problem_of(wire::from_json<borrowing>(R"({"data":"YWI="})"))
        == "data: cannot be read from JSON, only from MessagePack");
}

TEST_CASE("a blob is base64 in JSON") {
  CHECK(wire::base64_encode(raw("foobar")) == "Zm9vYmFy");  // RFC 4648, section 10
  CHECK(wire::base64_encode(raw("fooba")) == "Zm9vYmE=");
  CHECK(wire::base64_encode(raw("foob")) == "Zm9vYg==");
  CHECK(wire::base64_encode(raw("")).empty());
  wire::bytes out;
  for (auto bad : {"Zm9", "Zm9v=", "Z===", "====", "Zm9v Zm8", "Zm=v"})
    CHECK_MESSAGE(!wire::base64_decode(bad, out), bad);
  CHECK(problem_of(wire::from_json<owning>(R"({"data":"***="})")) == "data: not base64");
  tests::random_values random{6};
  for (int i = 0; i < 200; ++i) {
    owning x{random.blob()};
    REQUIRE(wire::from_json<owning>(wire::to_json(x))->data == x.data);
  }
}

TEST_CASE("JSON replaces what is not UTF-8 and cuts what a log should not hold") {
  CHECK(wire::to_json(texts{{{"log", "bad \xff byte"}}}) == "{\"by_name\":{\"log\":\"bad \xef\xbf\xbd byte\"}}");
  CHECK(wire::to_json(texts{{{"long", std::string(1000, 'y')}}}, {.longest = 3})
        == R"x({"by_name":{"long":"yyy... (1000 bytes)"}})x");
  CHECK(wire::to_json(owning{.data = raw("abcd")}, {.longest = 3}) == R"x({"data":"(4 bytes)"})x");
}

}  // namespace leaf_test
