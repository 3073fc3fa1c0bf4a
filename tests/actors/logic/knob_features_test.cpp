#include "actors/logic/knob_features.hpp"

#include <doctest/doctest.h>

namespace knob_features_test {

using namespace actors::logic;

namespace {

messages::knob_axis numbers(const char* name, const std::vector<std::int64_t>& values) {
  return {name, {values.begin(), values.end()}, true, values.front()};
}

}  // namespace

TEST_CASE("two knobs that are numbers have an axis for their product and one for their quotient") {
  messages::knob_space space{{numbers("m", {32, 64, 128}), numbers("n", {32, 128})}, {}};
  knob_features features{space};
  REQUIRE(features.axes().size() == 4);
  CHECK(features.axes()[2] == axis_shape{5, true, true});
  CHECK(features.of({0, 0}) == setting{0, 0, 0, 2});
  CHECK(features.of({2, 0}) == setting{2, 0, 2, 4});
  CHECK(features.of({0, 1}) == setting{0, 1, 2, 0});
  CHECK(features.of({2, 1})[2] == 4);  // within the axis
}

TEST_CASE("words have no products, nor have knobs of different groups") {
  messages::knob_space space{
      {numbers("g0.block", {1, 2}), numbers("g1.block", {1, 2}), {"g0.math", {"a", "b"}, false, "a"}}, {}};
  knob_features features{space};
  CHECK(features.axes().size() == 3);
  CHECK(features.of({1, 0, 1}) == setting{1, 0, 1});
}

TEST_CASE("many knobs do not make the surrogate slow: pairs beyond a number are left out") {
  messages::knob_space space;
  for (int i = 0; i < 12; ++i) space.axes.push_back(numbers("k", {1, 2, 4}));
  knob_features features{space};
  CHECK(features.axes().size() == 12 + 40);
  CHECK(features.of(setting(12, 2)).size() == features.axes().size());
}

TEST_CASE("values that do not double are placed by their size, zero and negative ones by their order") {
  messages::knob_space space{{numbers("a", {3, 5, 12}), numbers("b", {-1, 0, 7})}, {}};
  knob_features features{space};
  CHECK(features.of({1, 0}) == setting{1, 0, 1, 3});
  CHECK(features.of({2, 2}) == setting{2, 2, 4, 2});
}

}  // namespace knob_features_test
