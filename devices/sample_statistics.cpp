#include "devices/sample_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace devices {

namespace {

constexpr double normal_quantile = 1.959964;  // 97.5 %
constexpr double ns_per_ms = 1e6;

/// How many of n sorted values may be left out at each end of the median's interval: the binomial with p = 1/2 by its
/// normal approximation, rounded to the wide side.
std::size_t left_out(std::size_t n) {
  auto rank = std::floor((static_cast<double>(n) - normal_quantile * std::sqrt(static_cast<double>(n))) / 2);
  return rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1;
}

}  // namespace

messages::ratio median_of(std::span<const double> xs) {
  std::vector<double> sorted(xs.begin(), xs.end());
  std::ranges::sort(sorted);
  auto n = sorted.size();
  auto skip = left_out(n);
  auto middle = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  return {.value = middle, .low = sorted[skip], .high = sorted[n - 1 - skip]};
}

messages::distribution distribution_of(std::span<const double> times_ns) {
  auto x = median_of(times_ns);
  return {.median = x.value / ns_per_ms,
          .low = x.low / ns_per_ms,
          .high = x.high / ns_per_ms,
          .samples = static_cast<std::uint32_t>(times_ns.size())};
}

messages::ratio paired_ratio(std::span<const double> over, std::span<const double> under) {
  std::vector<double> ratios(over.size());
  std::ranges::transform(over, under, ratios.begin(), [](double a, double b) { return a / b; });
  return median_of(ratios);
}

double noise_of(const messages::ratio& same) { return std::max(std::abs(same.low - 1), std::abs(same.high - 1)); }

}  // namespace devices
