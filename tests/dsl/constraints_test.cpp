#include <doctest/doctest.h>

#include "dsl/knobs.hpp"
#include "dsl/manifest_rules.hpp"

namespace constraints_test {

using namespace dsl;
using messages::knob_value;
using messages::knob_values;

namespace {

knob_value whole(std::int64_t x) { return x; }

knob_manifest integers(const std::string& name, std::vector<knob_value> values) {
  return {.name = name, .values = values, .standard = values.front(), .meaning = "m"};
}

/// Two tiles in shared memory of 4 bytes an element, rows that divide the first.
recipe_manifest recipe() {
  recipe_manifest x{.name = "gemm", .covers = "c", .template_file = "t.mustache"};
  x.knobs = {integers("m", {whole(8), whole(16), whole(32)}), integers("n", {whole(8), whole(16), whole(32)}),
             integers("rows", {whole(4), whole(16)})};
  x.constraints = {{.products = {{"m", "n"}}, .each = 4, .limit = "shared", .why = "the tile lies in shared memory"},
                   {.multiple = {"m", "rows"}, .why = "a tile is whole rows"}};
  x.presets = {{"standard", "", {}}};
  return x;
}

messages::device_info device(double shared) { return {.limits = {{"shared", shared}}}; }

}  // namespace

TEST_CASE("a constraint is counted with the device's limit, and binds nothing where there is none") {
  auto x = recipe();
  knob_values large{{"m", whole(32)}, {"n", whole(32)}, {"rows", whole(4)}};
  CHECK(broken_constraint(x, large, device(4096)) == nullptr);
  REQUIRE(broken_constraint(x, large, device(4095)) != nullptr);
  CHECK(broken_constraint(x, large, device(4095))->why == "the tile lies in shared memory");
  CHECK(broken_constraint(x, large, {}) == nullptr);
  CHECK(!within_limits(x, {{"rows", whole(16)}}, {}));  // m is 8 by default
}

TEST_CASE("neighbours of a plan keep the constraints") {
  language_files language;
  language.recipes.push_back({.manifest = recipe()});
  messages::plan plan{.groups = {{"g0", "gemm", {"y"}, {{"m", whole(16)}, {"n", whole(8)}}}}};
  auto around = knob_neighbours(plan, language, device(1024), 1);
  CHECK(around.size() == 4);  // m 8 and 32, n 16, rows 16; n 32 takes 2048 bytes
  for (const auto& x : around) CHECK(within_limits(recipe(), x.groups[0].knobs, device(1024)));
}

TEST_CASE("the space of a recipe has the device's numbers in it") {
  auto x = recipe();
  x.knobs[1].bounds = {{"columns", 1}};
  auto here = device(1024);
  here.limits["columns"] = 16;
  auto space = space_of(x, here);
  CHECK(space.axes[1].values == std::vector<knob_value>{whole(8), whole(16)});
  REQUIRE(space.rules.size() == 2);
  CHECK(space.rules[0].at_most == 256);
  CHECK(space_of(x, {}).rules[0].products.empty());
}

TEST_CASE("a constraint that says nothing, or names what is not there, is refused with its place") {
  auto problem = [](auto change) {
    auto x = recipe();
    change(x);
    return problem_of(x).value_or("");
  };
  CHECK(problem([](auto&) {}) == "");
  CHECK(problem([](auto& x) { x.constraints[1].multiple = {}; }) == "constraints[1]: says nothing");
  CHECK(problem([](auto& x) { x.constraints[1].multiple = {"m"}; }) == "constraints[1].multiple: takes two knobs");
  CHECK(problem([](auto& x) {
          x.constraints[0].products = {{"m", "k"}};
        })
        == "constraints[0]: \"k\" is no integer knob of the recipe");
  CHECK(problem([](auto& x) { x.constraints[0].limit = ""; })
        == "constraints[0]: products need either a limit or at_most");
  CHECK(problem([](auto& x) { x.constraints[0].why = ""; }) == "constraints[0].why: is missing");
  CHECK(problem([](auto& x) {
          x.constraints[0] = {.products = {{"m", "n"}}, .at_most = 63, .why = "small"};
        })
        == "constraints: the defaults: do not go together: small");
  CHECK(problem([](auto& x) {
          x.presets[0].knobs = {{"rows", knob_value{std::int64_t{16}}}};
        })
        == "presets[0].knobs: do not go together: a tile is whole rows");
}

}  // namespace constraints_test
