#include "actors/logic/gaussian_process.hpp"

#include <algorithm>
#include <cmath>

namespace actors::logic {

namespace {

/// So many observations' worth of trust that the costs' variance is 1, as they were standardised: few that happen to be
/// alike do not make a process sure of itself.
constexpr double trust_in_scale = 4;

/// y -= factor * x. Rows lie one after the other, so that this loop is what takes the time, and many lanes wide.
void subtract(double* y, double factor, const double* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] -= factor * x[i];
}

}  // namespace

double product_kernel::between(const setting& a, const setting& b) const {
  double product = 1;
  for (std::size_t k = 0; k < factors.size(); ++k) product *= factors[k][steps_between(a[k], b[k])];
  return product;
}

bool factorization::compute(const std::vector<double>& similarities, const std::vector<double>& noise,
                            const std::vector<double>& costs) {
  size_ = costs.size();
  upper_ = similarities;
  half_solved_ = costs;
  fit_ = volume_ = 0;
  for (std::size_t i = 0; i < size_; ++i) upper_[i * size_ + i] += noise[i];
  for (std::size_t k = 0; k < size_; ++k) {
    auto row = &upper_[k * size_];
    if (row[k] <= 1e-12) return false;
    volume_ += std::log(row[k]) / 2;
    auto inverse = 1 / std::sqrt(row[k]);
    for (std::size_t j = k; j < size_; ++j) row[j] *= inverse;
    half_solved_[k] /= row[k];
    fit_ += half_solved_[k] * half_solved_[k];
    for (std::size_t i = k + 1; i < size_; ++i) subtract(&upper_[i * size_ + i], row[i], row + i, size_ - i);
    subtract(half_solved_.data() + k + 1, half_solved_[k], row + k + 1, size_ - k - 1);
  }
  return true;
}

double factorization::variance() const {
  return (fit_ + trust_in_scale) / (static_cast<double>(size_) + trust_in_scale);
}

double factorization::misfit() const {
  return (static_cast<double>(size_) + trust_in_scale) / 2 * std::log(variance()) + volume_;
}

std::vector<double> factorization::solution() const {
  auto x = half_solved_;
  for (std::size_t i = size_; i-- > 0;) {
    for (std::size_t k = i + 1; k < size_; ++k) x[i] -= row(i)[k] * x[k];
    x[i] /= row(i)[i];
  }
  return x;
}

outlook::outlook(product_kernel kernel, const factorization& fitted, const std::vector<setting>& settings,
                 const std::vector<setting>& pool)
    : kernel_(std::move(kernel)), variance_(fitted.variance()), means_(pool.size(), 0), explained_(pool.size(), 0) {
  auto weights = fitted.solution();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    auto row = similarities_to(settings[i], pool);
    subtract(means_.data(), -weights[i], row.data(), row.size());
    for (std::size_t j = 0; j < i; ++j) subtract(row.data(), fitted.row(j)[i], solved_[j].data(), row.size());
    explain(std::move(row), fitted.row(i)[i]);
  }
}

std::vector<double> outlook::similarities_to(const setting& x, const std::vector<setting>& pool) const {
  std::vector<double> row;
  row.reserve(pool.size());
  for (const auto& y : pool) row.push_back(kernel_.between(x, y));
  return row;
}

void outlook::explain(std::vector<double> row, double scale) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] /= scale;
    explained_[i] += row[i] * row[i];
  }
  solved_.push_back(std::move(row));
}

void outlook::believe(std::size_t i, const std::vector<setting>& pool) {
  auto row = similarities_to(pool[i], pool);
  for (const auto& earlier : solved_) subtract(row.data(), earlier[i], earlier.data(), row.size());
  explain(std::move(row), std::sqrt(std::max(1e-9, 1 + kernel_.noise - explained_[i])));
}

double outlook::deviation(std::size_t i) const { return std::sqrt(std::max(0.0, 1 - explained_[i]) * variance_); }

}  // namespace actors::logic
