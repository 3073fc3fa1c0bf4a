#pragma once
// A Gaussian process over the settings of a knob space whose kernel is given: how well it explains costs, and what it
// says of other settings. Pure; surrogate.hpp chooses kernels.

#include <cstdint>
#include <vector>

namespace actors::logic {

/// The index of the value on each axis.
using setting = std::vector<std::uint32_t>;

/// Indices of two values of a knob are so many steps apart.
inline std::uint32_t steps_between(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

/// Similarity of settings: the product over the knobs of a factor by the steps between their values; 1 at no steps.
struct product_kernel {
  std::vector<std::vector<double>> factors;
  double noise = 0;  ///< variance of a cost that no knob explains, where 1 is that of the process

  double between(const setting& a, const setting& b) const;
};

/// Cholesky's factor of similarities, and costs that were solved by it.
class factorization {
public:
  /// @param similarities n rows of n, of which the upper triangle counts
  /// @param noise of each cost
  /// @param costs standardised
  /// False if the matrix is not positive definite; nothing else may be asked then.
  bool compute(const std::vector<double>& similarities, const std::vector<double>& noise,
               const std::vector<double>& costs);

  /// Minus the logarithm of the costs' likelihood, their variance being unknown, up to a constant.
  double misfit() const;

  /// Of the process, as the costs suggest.
  double variance() const;

  /// (similarities + noise)^-1 * costs
  std::vector<double> solution() const;

  /// Row i of the upper factor; from column i on.
  const double* row(std::size_t i) const { return &upper_[i * size_]; }
  std::size_t size() const { return size_; }

private:
  std::size_t size_ = 0;
  std::vector<double> upper_;
  std::vector<double> half_solved_;
  double fit_ = 0, volume_ = 0;
};

/// What a process that was fitted says of each setting of a pool.
class outlook {
public:
  outlook(product_kernel kernel, const factorization& fitted, const std::vector<setting>& settings,
          const std::vector<setting>& pool);

  /// In standardised costs.
  double mean(std::size_t i) const { return means_[i]; }
  double deviation(std::size_t i) const;

  /// As if that of the pool had come out as expected: no mean changes, but what is like it is surer.
  void believe(std::size_t i, const std::vector<setting>& pool);

private:
  std::vector<double> similarities_to(const setting& x, const std::vector<setting>& pool) const;
  void explain(std::vector<double> row, double scale);

  product_kernel kernel_;
  double variance_ = 1;
  std::vector<double> means_;
  std::vector<double> explained_;            // share of the variance
  std::vector<std::vector<double>> solved_;  // factor^-1 * similarities to the pool
};

}  // namespace actors::logic
