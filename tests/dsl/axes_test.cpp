#include "dsl/axes.hpp"

#include <doctest/doctest.h>

namespace axes_test {

namespace {
using dsl::axes;
using dsl::axis_space;
}  // namespace

TEST_CASE("a dimension of size 1 has no axes") {
  axis_space space;
  CHECK(space.dimension(1).empty());
  CHECK(space.size(space.dimension(6)) == 6);
}

TEST_CASE("unifying cuts the coarser of two dimensions") {
  axis_space space;
  auto whole = space.dimension(24);
  axes parts{space.make(4), space.make(6)};
  REQUIRE(space.unify(whole, parts));
  CHECK(space.leaves(whole) == space.leaves(parts));
  CHECK(space.leaves(whole).size() == 2);
}

TEST_CASE("both sides are cut where neither is finer") {
  axis_space space;
  axes left{space.make(4), space.make(6)};
  axes right{space.make(8), space.make(3)};
  REQUIRE(space.unify(left, right));
  CHECK(space.leaves(left) == space.leaves(right));
  CHECK(space.leaves(left).size() == 3);
}

TEST_CASE("sizes without a common cut are refused") {
  axis_space space;
  CHECK(!space.unify({space.make(2), space.make(3)}, {space.make(3), space.make(2)}));
  CHECK(!space.unify(space.dimension(4), space.dimension(5)));
  CHECK(!space.unify(space.dimension(4), {}));
  CHECK(!space.unify(space.dimension(0), space.dimension(5)));
  CHECK(space.unify(space.dimension(0), space.dimension(0)));
}

TEST_CASE("cutting off an inner part splits an axis or takes several") {
  axis_space space;
  axes x{space.make(6), space.make(10)};
  auto parts = space.cut(x, 20);
  REQUIRE(parts);
  CHECK(space.size(parts->first) == 3);
  CHECK(space.size(parts->second) == 20);
  CHECK(!space.cut(x, 7));
  CHECK(!space.cut(x, 120));
  CHECK(space.cut(x, 1)->second.empty());
}

}  // namespace axes_test
