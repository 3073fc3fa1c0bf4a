#include "devices/sample_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace sample_statistics_test {

using namespace devices;

TEST_CASE("the median lies in the middle, whatever the order of the values") {
  CHECK(median_of(std::vector{3.0, 1.0, 2.0}).value == 2);
  CHECK(median_of(std::vector{4.0, 1.0, 3.0, 2.0}).value == 2.5);
  CHECK(median_of(std::vector{7.0}).value == 7);
}

TEST_CASE("few values bound the median by the lowest and the highest") {
  auto x = median_of(std::vector{5.0, 1.0, 4.0, 2.0, 3.0});
  CHECK(x.low == 1);
  CHECK(x.high == 5);
}

TEST_CASE("the interval leaves out the tails of many values alike") {
  std::vector<double> xs(100);
  std::iota(xs.begin(), xs.end(), 1);
  auto x = median_of(xs);
  CHECK(x.value == 50.5);
  CHECK(x.low == 40);
  CHECK(x.high == 61);
}

TEST_CASE("the interval holds the true median in at least 95 % of samples") {
  std::mt19937_64 random{7};
  std::exponential_distribution<double> skewed{1};
  const double truth = std::log(2.0);
  int held = 0;
  constexpr int samples = 4000;
  for (int i = 0; i < samples; ++i) {
    std::vector<double> xs(25);
    std::ranges::generate(xs, [&] { return skewed(random); });
    auto x = median_of(xs);
    held += x.low <= truth && truth <= x.high;
  }
  CHECK(held >= 0.95 * samples);
  CHECK(held < 0.995 * samples);
}

TEST_CASE("times are given in ms") {
  auto x = distribution_of(std::vector{2e6, 1e6, 3e6});
  CHECK(x == messages::distribution{.median = 2, .low = 1, .high = 3, .samples = 3});
}

TEST_CASE("ratios are of pairs, so a drift that both sides share does not show") {
  std::vector<double> fast{1, 2, 4, 8, 16, 32}, slow{3, 6, 12, 24, 48, 96};
  CHECK(paired_ratio(slow, fast) == messages::ratio{3, 3, 3});
}

TEST_CASE("noise is the farther end of the interval from 1") {
  CHECK(noise_of({1.0, 0.9, 1.05}) == doctest::Approx(0.1));
  CHECK(noise_of({1.1, 1.05, 1.2}) == doctest::Approx(0.2));
}

}  // namespace sample_statistics_test
