// What holds for every record of tests/support/record_list.hpp.

#include <doctest/doctest.h>

#include <set>

#include "tests/support/random_values.hpp"
#include "tests/support/record_kind.hpp"

namespace every_record_test {

namespace {

std::string problem(const std::optional<wire::error>& x) { return x ? to_string(*x) : "none"; }

}  // namespace

TEST_CASE("every record comes back from MessagePack as it was") {
  for (const auto& kind : tests::record_kinds()) {
    CAPTURE(kind.name);
    tests::random_values random{1};
    auto x = kind.make(), back = kind.make();
    for (int i = 0; i < 200; ++i) {
      x->fill(random);
      REQUIRE(problem(back->unpack(x->pack())) == "none");
      REQUIRE(back->equals(*x));
      REQUIRE(back->pack() == x->pack());
    }
  }
}

TEST_CASE("every record comes back from JSON as it was, whatever the indent") {
  for (const auto& kind : tests::record_kinds()) {
    CAPTURE(kind.name);
    tests::random_values random{2};
    auto x = kind.make(), back = kind.make();
    for (int i = 0; i < 60; ++i) {
      x->fill(random);
      REQUIRE(problem(back->from_json(x->to_json({.indent = i % 3 - 1}))) == "none");
      REQUIRE(back->equals(*x));
    }
  }
}

TEST_CASE("an empty map is a record with its initialisers, in both formats") {
  for (const auto& kind : tests::record_kinds()) {
    CAPTURE(kind.name);
    tests::random_values random{3};
    auto fresh = kind.make(), x = kind.make();
    x->fill(random);
    REQUIRE(problem(x->unpack(wire::bytes{std::byte{0x80}})) == "none");
    CHECK(x->equals(*fresh));
    x->fill(random);
    REQUIRE(problem(x->from_json("{}")) == "none");
    CHECK(x->equals(*fresh));
  }
}

TEST_CASE("a record that cannot be read leaves what was there") {
  tests::random_values random{4};
  auto kind = tests::record_kinds().front();
  auto x = kind.make(), same = kind.make();
  x->fill(random);
  REQUIRE(problem(same->unpack(x->pack())) == "none");
  auto cut = x->pack();
  cut.pop_back();
  CHECK(problem(x->unpack(cut)) != "none");
  CHECK(x->equals(*same));
}

TEST_CASE("equal records have equal hashes, and a changed value changes the hash") {
  std::set<std::string> hashes;
  std::size_t kinds_with_members = 0;
  for (const auto& kind : tests::record_kinds()) {
    CAPTURE(kind.name);
    tests::random_values random{5};
    auto x = kind.make(), same = kind.make(), other = kind.make();
    x->fill(random);
    REQUIRE(problem(same->unpack(x->pack())) == "none");
    CHECK(x->content_hash() == same->content_hash());
    CHECK(x->content_hash().size() == 32);
    for (int i = 0; i < 50 && other->equals(*x); ++i) other->fill(random);
    if (other->equals(*x)) continue;  // has no members
    ++kinds_with_members;
    CHECK(other->content_hash() != x->content_hash());
  }
  CHECK(kinds_with_members > tests::record_kinds().size() / 2);
}

}  // namespace every_record_test
