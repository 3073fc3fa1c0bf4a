#pragma once
// What a few measured settings say of all others. How much each knob matters, alone and together with others, how alike
// its neighbouring values are and how much is noise can't be told from few points: several beliefs about it are drawn,
// the more often the better they explain the costs, and what they say counts together. Pure, and the same for the same
// points in the same order with the same seed.

#include <cstdint>
#include <random>
#include <vector>

#include "actors/logic/gaussian_process.hpp"

namespace actors::logic {

struct axis_shape {
  std::uint32_t values = 1;
  bool ordered = true;  ///< neighbours are alike
  bool joint = false;   ///< of several knobs: matters only as far as there is evidence

  friend bool operator==(const axis_shape&, const axis_shape&) = default;
};

struct surrogate_options {
  std::uint64_t seed = 0;
  bool blurred = false;  ///< how bad a bad one is tells little about good ones
};

class surrogate {
public:
  explicit surrogate(std::vector<axis_shape> axes) : axes_(std::move(axes)) {}

  /// @param costs of the settings, in any unit in which differences count alike; not empty
  /// @param pool whose settings are asked about, by their place
  void fit(const std::vector<setting>& settings, const std::vector<double>& costs, std::vector<setting> pool,
           const surrogate_options& options);

  double mean(std::size_t i) const;

  /// How far below `best` the cost is expected to be; where it is not, that counts as zero.
  double expected_gain(std::size_t i, double best) const;

  /// As if that of the pool had come out as each belief expects: what is like it is worth less then.
  void believe(std::size_t i);

private:
  std::vector<axis_shape> axes_;
  std::vector<setting> pool_;
  double mean_ = 0, scale_ = 1;
  std::vector<outlook> beliefs_;
};

}  // namespace actors::logic
