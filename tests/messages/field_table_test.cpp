#include <doctest/doctest.h>

#include <set>

#include "tests/support/record_kind.hpp"

namespace field_table_test {

namespace {

const tests::type_descriptions& all_types() {
  static const auto all = [] {
    tests::type_descriptions out;
    for (const auto& kind : tests::record_kinds()) kind.make()->describe(out);
    return out;
  }();
  return all;
}

bool snake_case(std::string_view x) {
  return !x.empty() && x.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == x.npos;
}

/// Named by a format that is not ours.
const std::set<std::string_view> of_others{"traceEvents", "displayTimeUnit"};

}  // namespace

TEST_CASE("a record names every member once") {
  REQUIRE(all_types().records.size() > tests::record_kinds().size());
  for (const auto& record : all_types().records) {
    CAPTURE(record.type);
    std::set<std::string_view> names;
    for (const auto& field : record.fields) {
      CHECK_MESSAGE(names.insert(field.name).second, field.name, " is named twice");
      if (of_others.contains(field.name)) continue;
      CHECK_MESSAGE(snake_case(field.name), field.name, " is not an identifier in lower case");
    }
    CHECK_MESSAGE(record.fields.size() == record.members, "a member is not among the fields");
  }
}

TEST_CASE("the name of a time ends in its unit") {
  std::size_t times = 0;
  for (const auto& record : all_types().records) {
    CAPTURE(record.type);
    for (const auto& field : record.fields) {
      times += !field.unit.empty();
      CHECK_MESSAGE(field.name.ends_with(field.unit), field.name, " does not end in ", field.unit);
    }
  }
  CHECK(times > 5);
}

TEST_CASE("an enum has a name for each value, and no two alike") {
  REQUIRE(all_types().enums.size() > 10);
  for (const auto& x : all_types().enums) {
    CAPTURE(x.type);
    CHECK(std::set<std::string_view>(x.names.begin(), x.names.end()).size() == x.names.size());
    CHECK(x.last_is_a_value);
    CHECK_MESSAGE(!x.one_more_value, "a value behind \"", x.names.back(), "\" has no name");
  }
}

}  // namespace field_table_test
