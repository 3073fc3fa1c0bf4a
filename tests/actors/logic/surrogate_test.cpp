#include "actors/logic/surrogate.hpp"

#include <doctest/doctest.h>

namespace surrogate_test {

using namespace actors::logic;

namespace {

const std::vector<axis_shape> two_axes{{5, true}, {5, true}};
const std::vector<setting> seen{{0, 0}, {1, 3}, {2, 1}, {3, 4}, {4, 2}, {0, 4}, {4, 0}};

/// Costs by the first axis alone.
std::vector<double> slope() {
  std::vector<double> costs;
  for (const auto& x : seen) costs.push_back(0.3 * x[0]);
  return costs;
}

surrogate fitted(const std::vector<double>& costs, std::vector<setting> pool, surrogate_options options = {1, false}) {
  surrogate model{two_axes};
  model.fit(seen, costs, std::move(pool), options);
  return model;
}

}  // namespace

TEST_CASE("what was seen comes out about as it was, and settings like it alike") {
  auto model = fitted(slope(), {{4, 2}, {0, 0}, {0, 2}, {4, 3}});
  CHECK(model.mean(0) == doctest::Approx(1.2).epsilon(0.1));
  CHECK(model.mean(1) < 0.15);
  CHECK(model.mean(2) < model.mean(3) - 0.5);
}

TEST_CASE("more is gained where less is known, and nothing more where it is believed known") {
  auto model = fitted(std::vector<double>(seen.size(), 1.0), {{0, 0}, {2, 3}});
  CHECK(model.expected_gain(1, 1.0) > model.expected_gain(0, 1.0));
  auto before = model.expected_gain(1, 1.0), mean = model.mean(1);
  model.believe(1);
  CHECK(model.expected_gain(1, 1.0) < before / 2);
  CHECK(model.mean(1) == mean);
}

TEST_CASE("a blurred bad cost says less of what is next to it") {
  auto costs = slope();
  costs[2] = 20;  // a cliff
  auto sharp = fitted(costs, {{2, 2}}), blurred = fitted(costs, {{2, 2}}, {1, true});
  CHECK(blurred.mean(0) < sharp.mean(0));
}

TEST_CASE("the same points and seed give the same prediction, another seed another one") {
  auto at = [](std::uint64_t seed) { return fitted(slope(), {{2, 4}}, {seed, false}).mean(0); };
  CHECK(at(1) == at(1));
  CHECK(at(1) != at(2));
}

TEST_CASE("one point, or equal ones that are many times the same, are enough to fit") {
  surrogate model{two_axes};
  model.fit({{1, 1}}, {3.0}, {{1, 1}, {4, 4}}, {});
  CHECK(model.mean(0) == doctest::Approx(3.0));
  CHECK(model.expected_gain(1, 3.0) > model.expected_gain(0, 3.0));
  model.fit(std::vector<setting>(9, setting{1, 1}), std::vector<double>(9, 2.0), {{1, 1}}, {});
  CHECK(model.mean(0) == doctest::Approx(2.0));
}

}  // namespace surrogate_test
