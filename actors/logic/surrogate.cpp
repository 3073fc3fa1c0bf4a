#include "actors/logic/surrogate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace actors::logic {

namespace {

// What a belief may hold; chosen on landscapes that are made up and on recorded ones, so what scripts/bench/search says
// of the recorded ones is a little kind.
// Of a cost, as a share of the variance of all: measuring, and what no knob explains.
constexpr std::array noise_levels{0.05, 0.005, 0.0005};
constexpr std::array weight_levels{0.7, 0.05, 0.2, 2.0, 8.0};  // how much a knob matters
constexpr std::array joint_weight_levels{0.0, 0.7};            // how much a joint axis does
constexpr std::array likeness_levels{0.8, 0.5, 0.93};          // of neighbouring values of an ordered axis
// The first of each is where a belief starts; any other one needs evidence.
constexpr double weight_doubt = 2;
constexpr double joint_doubt = 4.0;
constexpr double likeness_doubt = 1;

// Of how far a blurred cost is above the least: by so much (one deviation) it may mislead about good ones.
constexpr double blur = 0.3;

constexpr std::size_t beliefs_drawn = 6;
constexpr std::size_t passes_before = 2;  // over all that may change, until a belief is far from where they start

struct axis_belief {
  axis_shape shape;
  std::size_t weight = 0, likeness = 0;

  std::size_t weights() const { return shape.joint ? joint_weight_levels.size() : weight_levels.size(); }
  std::size_t likenesses() const {
    return shape.ordered && !shape.joint && shape.values > 2 ? likeness_levels.size() : 1;
  }

  double doubt() const {
    if (shape.joint) return weight > 0 ? joint_doubt : 0;
    auto far = std::log(weight_levels[weight] / weight_levels[0]);
    return weight_doubt * far * far / 2 + (likeness > 0 ? likeness_doubt : 0);
  }

  /// 1 + weight * likeness: as a product over the axes, the sum of all effects, of one and of several together.
  std::vector<double> factors() const {
    std::vector<double> by_steps;
    auto w = shape.joint ? joint_weight_levels[weight] : weight_levels[weight];
    for (std::uint32_t i = 0; i < shape.values; ++i) {
      auto alike = i == 0 ? 1 : shape.ordered ? std::pow(likeness_levels[likeness], i) : 0;
      by_steps.push_back((1 + w * alike) / (1 + w));
    }
    return by_steps;
  }
};

/// Draws one belief after another, each from the one before: Gibbs sampling.
class sampler {
public:
  sampler(const std::vector<axis_shape>& axes, const std::vector<setting>& settings, std::vector<double> costs,
          bool blurred, std::uint64_t seed)
      : settings_(settings),
        costs_(std::move(costs)),
        random_(seed),
        others_(costs_.size() * costs_.size(), 1),
        all_(others_) {
    auto least = std::ranges::min(costs_);
    for (auto x : costs_) blurs_.push_back(blurred ? std::pow(blur * (x - least), 2) : 0);
    for (const auto& axis : axes) axes_.push_back({axis});
    for (std::size_t k = 0; k < axes_.size(); ++k) multiply(others_, others_, k, axes_[k].factors());
  }

  void pass() {
    if (settings_.size() < 3) return;
    for (std::size_t k = 0; k < axes_.size(); ++k) redraw(k);
    choose(noise_, noise_levels.size(), [&] { return misfit(others_); });
  }

  outlook look(const std::vector<setting>& pool) {
    product_kernel kernel{{}, noise_levels[noise_]};
    for (const auto& axis : axes_) kernel.factors.push_back(axis.factors());
    misfit(others_);
    return {std::move(kernel), fitted_, settings_, pool};
  }

private:
  void redraw(std::size_t k) {
    auto& axis = axes_[k];
    auto factors = axis.factors();
    for (auto& x : factors) x = 1 / x;
    multiply(others_, others_, k, factors);
    auto with_it = [&] {
      multiply(all_, others_, k, axis.factors());
      return misfit(all_) + axis.doubt();
    };
    choose(axis.weight, axis.weights(), with_it);
    if (axis.likenesses() > 1) choose(axis.likeness, axis.likenesses(), with_it);
    multiply(others_, others_, k, axis.factors());
  }

  /// A level, the more likely the better it explains the costs, all else left as it is.
  template <class Misfit>
  void choose(std::size_t& level, std::size_t levels, Misfit misfit_with_it) {
    std::vector<double> chances;
    for (level = 0; level < levels; ++level) chances.push_back(misfit_with_it());
    auto least = std::ranges::min(chances);
    for (auto& x : chances) x = std::exp(least - x);
    auto left = std::accumulate(chances.begin(), chances.end(), 0.0) * static_cast<double>(random_() >> 11) * 0x1p-53;
    for (level = 0; level + 1 < levels && left >= chances[level]; ++level) left -= chances[level];
  }

  double misfit(const std::vector<double>& similarities) {
    auto noise = blurs_;
    for (auto& x : noise) x += noise_levels[noise_];
    return fitted_.compute(similarities, noise, costs_) ? fitted_.misfit() : 1e300;
  }

  void multiply(std::vector<double>& to, const std::vector<double>& from, std::size_t k,
                const std::vector<double>& factors) const {
    auto n = settings_.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j)
        to[i * n + j] = from[i * n + j] * factors[steps_between(settings_[i][k], settings_[j][k])];
  }

  const std::vector<setting>& settings_;
  std::vector<double> costs_;
  std::vector<double> blurs_;  // variance of each cost beside the noise
  std::mt19937_64 random_;
  std::vector<axis_belief> axes_;
  std::size_t noise_ = 0;
  std::vector<double> others_;  // similarities by all knobs, while one is redrawn by all others
  std::vector<double> all_;
  factorization fitted_;
};

}  // namespace

void surrogate::fit(const std::vector<setting>& settings, const std::vector<double>& costs, std::vector<setting> pool,
                    const surrogate_options& options) {
  pool_ = std::move(pool);
  auto n = static_cast<double>(costs.size());
  mean_ = std::accumulate(costs.begin(), costs.end(), 0.0) / n;
  double squares = 0;
  for (auto x : costs) squares += (x - mean_) * (x - mean_);
  scale_ = squares > 0 ? std::sqrt(squares / n) : 1;
  auto standardised = costs;
  for (auto& x : standardised) x = (x - mean_) / scale_;
  sampler draw{axes_, settings, std::move(standardised), options.blurred, options.seed};
  beliefs_.clear();
  for (std::size_t i = 0; i < passes_before; ++i) draw.pass();
  while (beliefs_.size() < beliefs_drawn) {
    draw.pass();
    beliefs_.push_back(draw.look(pool_));
  }
}

double surrogate::mean(std::size_t i) const {
  double sum = 0;
  for (const auto& x : beliefs_) sum += x.mean(i);
  return mean_ + scale_ * sum / static_cast<double>(beliefs_.size());
}

double surrogate::expected_gain(std::size_t i, double best) const {
  double sum = 0;
  for (const auto& x : beliefs_) {
    auto deviation = std::max(scale_ * x.deviation(i), 1e-9);
    auto z = (best - mean_ - scale_ * x.mean(i)) / deviation;
    auto density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    sum += deviation * (z * std::erfc(-z / std::numbers::sqrt2) / 2 + density);
  }
  return sum / static_cast<double>(beliefs_.size());
}

void surrogate::believe(std::size_t i) {
  for (auto& x : beliefs_) x.believe(i, pool_);
}

}  // namespace actors::logic
