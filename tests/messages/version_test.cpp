// Peers of different age, and the form that must stay as it is.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

#include "messages/records/plan.hpp"
#include "messages/records/stage.hpp"
#include "messages/wire/wire.hpp"
#include "tests/messages/wire_text.hpp"

namespace version_test {

namespace {

using tests::problem_of;

enum class old_mood : std::uint8_t { unknown, calm };
constexpr auto enum_names(old_mood) { return std::to_array<std::string_view>({"unknown", "calm"}); }
enum class new_mood : std::uint8_t { unknown, calm, wild };
constexpr auto enum_names(new_mood) { return std::to_array<std::string_view>({"unknown", "calm", "wild"}); }

struct old_inner {
  std::int32_t a = 1;
  void fields(auto& f) { f("a", a); }
};
struct old_message {
  std::string text;
  old_inner inner;
  old_mood state = old_mood::calm;
  void fields(auto& f) {
    f("text", text);
    f("inner", inner);
    f("state", state);
  }
};
struct new_inner {
  std::vector<std::int32_t> more = std::vector<std::int32_t>(2, 5);
  std::int32_t a = 1;
  void fields(auto& f) {
    f("more", more);
    f("a", a);
  }
};
struct new_message {
  std::map<std::string, double> first{{"x", 1}};
  std::string text;
  new_inner inner;
  std::optional<std::string> note = "none";
  new_mood state = new_mood::calm;
  void fields(auto& f) {
    f("first", first);
    f("text", text);
    f("inner", inner);
    f("note", note);
    f("state", state);
  }
};

struct worded {
  static constexpr auto wire_name = "worded";
  std::string text = "é";
  void fields(auto& f) { f("text", text); }
};
struct counted {
  static constexpr auto wire_name = "counted";
  std::uint64_t count = UINT64_MAX;
  void fields(auto& f) { f("count", count); }
};

/// One of each kind of value that a record may hold. Never to be changed: its form is committed.
struct all_kinds {
  bool yes = true;
  std::uint8_t small = 7;
  std::int64_t lowest = INT64_MIN;
  double whole = 3.0;
  double infinite = HUGE_VAL;
  std::string text = "line\n";
  wire::bytes blob{std::byte{0}, std::byte{255}};
  new_mood mood = new_mood::wild;
  messages::run_id run{"20261128-061502-9f3a"};
  std::chrono::milliseconds limit{70'000};
  std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::milliseconds{1'795'847'702'123}};
  messages::knob_value number = 256;
  messages::knob_value word = "tf32x3";
  std::optional<double> absent;
  std::optional<std::int32_t> present = -1;
  std::vector<std::uint32_t> list{1, 128, 65'536};
  std::map<std::string, double> map{{"b", -0.0}, {"a", 0.1}};
  std::variant<worded, counted> first = worded{};
  std::variant<worded, counted> second = counted{};

  void fields(auto& f) {
    f("yes", yes);
    f("small", small);
    f("lowest", lowest);
    f("whole", whole);
    f("infinite", infinite);
    f("text", text);
    f("blob", blob);
    f("mood", mood);
    f("run", run);
    f("limit_ms", limit);
    f("at_ms", at);
    f("number", number);
    f("word", word);
    f("absent", absent);
    f("present", present);
    f("list", list);
    f("map", map);
    f("first", first);
    f("second", second);
  }
};

/// What data/stage_result.v1.* hold.
messages::stage_result sample() {
  messages::kernel_failure why{.stage = messages::failure_stage::verify,
                               .kind = messages::failure_kind::wrong_values,
                               .message = "3 of 64 elements are off",
                               .details = {{"first", "[0, 7]"}}};
  messages::rejected rejected{.failure = why,
                              .judging = messages::judging{.precision = "fp32", .seeds = {"5eed"}},
                              .error = messages::error_summary{.max_abs = 0.25, .tolerance = 1e-4}};
  return {.stage = {"run/job/c1/verify"},
          .attempt = 2,
          .kind = messages::stage_kind::verify,
          .candidate = {"c1"},
          .outcome = messages::verdict{rejected},
          .resource = {"node/cpu:0"},
          .queued = std::chrono::milliseconds{70'000},
          .elapsed = std::chrono::milliseconds{12}};
}

std::string file(const std::string& name) {
  std::ifstream in{std::string{TEST_DATA} + '/' + name, std::ios::binary};
  REQUIRE_MESSAGE(in, "cannot read ", name);
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("an old reader ignores what it does not know") {
  new_message sent{.text = "t", .inner = {.a = 9}, .state = new_mood::wild};
  auto x = wire::unpack<old_message>(wire::pack(sent));
  REQUIRE_MESSAGE(x, problem_of(x));
  CHECK(x->text == "t");
  CHECK(x->inner.a == 9);
  CHECK(x->state == old_mood::unknown);
}

TEST_CASE("a new reader keeps its initialisers where an old writer says nothing") {
  auto x = wire::unpack<new_message>(wire::pack(old_message{.text = "t", .inner = {.a = 9}}));
  REQUIRE_MESSAGE(x, problem_of(x));
  CHECK(x->first == std::map<std::string, double>{{"x", 1}});
  CHECK(x->inner.more == std::vector<std::int32_t>{5, 5});
  CHECK(x->inner.a == 9);
  CHECK(x->note == "none");
}

TEST_CASE("an optional that was emptied stays empty although its initialiser is not") {
  CHECK(wire::unpack<new_message>(wire::pack(new_message{.note = std::nullopt}))->note == std::nullopt);
}

TEST_CASE("fields may come in any order") {
  auto x = wire::from_json<new_message>(R"({"state":"wild","note":null,"inner":{"a":3,"more":[]},"text":"t"})");
  REQUIRE_MESSAGE(x, problem_of(x));
  CHECK(x->state == new_mood::wild);
  CHECK(x->note == std::nullopt);
  CHECK(x->inner.a == 3);
  CHECK(x->inner.more.empty());
  CHECK(x->text == "t");
}

TEST_CASE("version 1 of a stage's result is read for ever") {
  auto packed = wire::unpack<messages::stage_result>(tests::raw(file("stage_result.v1.msgpack")));
  REQUIRE_MESSAGE(packed, problem_of(packed));
  CHECK(*packed == sample());
  auto text = wire::from_json<messages::stage_result>(file("stage_result.v1.json"));
  REQUIRE_MESSAGE(text, problem_of(text));
  CHECK(*text == sample());
}

TEST_CASE("the form on the wire does not change by accident") {
  CHECK(wire::to_json(all_kinds{}, {.indent = 2}) + "\n" == file("all_kinds.json"));
  CHECK(wire::pack(all_kinds{}) == tests::raw(file("all_kinds.msgpack")));
}

}  // namespace version_test
