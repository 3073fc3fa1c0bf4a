#pragma once
// What a few measured settings say of all others: a Gaussian process over the settings of a knob space. Each knob has a
// weight that is fitted to what was seen: how much it matters, alone and together with others. Pure, and the same for
// the same points in the same order.

#include <cstdint>
#include <span>
#include <vector>

namespace actors::logic {

/// The index of the value on each axis.
using setting = std::vector<std::uint32_t>;

struct axis_shape {
  std::uint32_t values = 1;
  bool ordered = true;  ///< neighbours are alike

  friend bool operator==(const axis_shape&, const axis_shape&) = default;
};

struct prediction {
  double mean = 0;
  double deviation = 0;
};

class surrogate {
public:
  explicit surrogate(const std::vector<axis_shape>& axes);

  /// @param costs of the settings, in any unit in which differences count alike; not empty
  void fit(std::vector<setting> settings, const std::vector<double>& costs);

  prediction at(const setting& x) const;

  /// By axis; larger: matters more.
  const std::vector<double>& weights() const { return weights_; }

private:
  double similarity(const setting& a, const setting& b) const;
  bool factorize();
  double misfit() const;
  void choose(double& of, std::span<const double> levels, double& best);
  void weigh();

  std::vector<std::vector<double>> likeness_;  // of two values by axis and by the steps between them
  std::vector<double> weights_;
  std::vector<setting> settings_;
  std::vector<double> costs_;  // standardised
  double noise_ = 0;
  double mean_ = 0, scale_ = 1;
  std::vector<double> factor_;  // lower triangle of the settings' similarities
  std::vector<double> solved_;  // similarities^-1 * costs
};

}  // namespace actors::logic
