#include "actors/logic/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace actors::logic {

namespace {

// Found on the landscapes of tests/data/landscapes; a factor of two in any of them changes little.
// Of a cost, as a share of the variance of all: measuring, and what no knob explains.
constexpr double noise_levels[] = {0.05, 0.005, 0.0005};
constexpr double first_weight = 0.7;  // before anything is known of a knob
constexpr double weight_levels[] = {0.05, 0.2, 0.7, 2, 8};
constexpr double weight_doubt = 2;  // a weight far from the first one needs evidence
constexpr double neighbour = 0.8;   // likeness of neighbouring values of an ordered knob

}  // namespace

surrogate::surrogate(const std::vector<axis_shape>& axes) : weights_(axes.size(), first_weight) {
  for (const auto& axis : axes) {
    auto& by_steps = likeness_.emplace_back();
    for (std::uint32_t i = 0; i < axis.values; ++i)
      by_steps.push_back(i == 0 ? 1 : axis.ordered ? std::pow(neighbour, i) : 0);
  }
}

/// A product over the knobs of 1 + weight * likeness: the sum of all effects, of one knob and of several together.
double surrogate::similarity(const setting& a, const setting& b) const {
  double product = 1;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    auto steps = a[k] > b[k] ? a[k] - b[k] : b[k] - a[k];
    product *= (1 + weights_[k] * likeness_[k][steps]) / (1 + weights_[k]);
  }
  return product;
}

void surrogate::fit(std::vector<setting> settings, const std::vector<double>& costs) {
  settings_ = std::move(settings);
  auto n = static_cast<double>(costs.size());
  mean_ = std::accumulate(costs.begin(), costs.end(), 0.0) / n;
  double squares = 0;
  for (auto x : costs) squares += (x - mean_) * (x - mean_);
  scale_ = squares > 0 ? std::sqrt(squares / n) : 1;
  costs_.clear();
  for (auto x : costs) costs_.push_back((x - mean_) / scale_);
  std::ranges::fill(weights_, first_weight);
  noise_ = noise_levels[0];
  weigh();
  factorize();
}

/// Cholesky.
bool surrogate::factorize() {
  auto n = settings_.size();
  factor_.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      auto sum = similarity(settings_[i], settings_[j]) + (i == j ? noise_ : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * n + k] * factor_[j * n + k];
      if (i == j && sum <= 0) return false;
      factor_[i * n + j] = i == j ? std::sqrt(sum) : sum / factor_[j * n + j];
    }
  solved_ = costs_;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) solved_[i] -= factor_[i * n + k] * solved_[k];
    solved_[i] /= factor_[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) solved_[i] -= factor_[k * n + i] * solved_[k];
    solved_[i] /= factor_[i * n + i];
  }
  return true;
}

/// How badly the weights explain the costs, up to a constant: the likelihood with its best variance, and the doubt.
double surrogate::misfit() const {
  auto n = settings_.size();
  double fit = 0, volume = 0, doubt = 0;
  for (std::size_t i = 0; i < n; ++i) {
    fit += costs_[i] * solved_[i];
    volume += std::log(factor_[i * n + i]);
  }
  for (auto w : weights_) doubt += std::pow(std::log(w / first_weight), 2);
  return 0.5 * static_cast<double>(n) * std::log(fit / static_cast<double>(n) + 1e-12) + volume
         + weight_doubt * doubt / 2;
}

/// The level that explains the costs best, all else left as it is.
void surrogate::choose(double& of, std::span<const double> levels, double& best) {
  auto kept = of;
  for (auto level : levels) {
    of = level;
    if (!factorize()) continue;
    if (auto now = misfit(); now < best - 1e-9) best = now, kept = level;
  }
  of = kept;
}

/// One knob after the other, then the noise; twice.
void surrogate::weigh() {
  if (settings_.size() < 3 || !factorize()) return;
  auto best = misfit();
  for (std::size_t pass = 0; pass < 2; ++pass) {
    for (auto& weight : weights_) choose(weight, weight_levels, best);
    choose(noise_, noise_levels, best);
  }
}

prediction surrogate::at(const setting& x) const {
  auto n = settings_.size();
  std::vector<double> likeness(n);
  double mean = 0, explained = 0;
  for (std::size_t i = 0; i < n; ++i) {
    likeness[i] = similarity(x, settings_[i]);
    mean += likeness[i] * solved_[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) likeness[i] -= factor_[i * n + k] * likeness[k];
    likeness[i] /= factor_[i * n + i];
    explained += likeness[i] * likeness[i];
  }
  double fit = 0;
  for (std::size_t i = 0; i < n; ++i) fit += costs_[i] * solved_[i];
  auto variance = std::max(fit / static_cast<double>(n), 0.05);
  return {mean_ + scale_ * mean, scale_ * std::sqrt(std::max(0.0, (1 - explained) * variance))};
}

}  // namespace actors::logic
