#pragma once
// What a surrogate sees of a setting: the value of each knob, and for two knobs that are numbers their product and
// their quotient. Registers, scratch memory and waves go by products, so that one setting which is bad for its large
// tile speaks for all tiles as large.

#include <utility>
#include <vector>

#include "actors/logic/surrogate.hpp"
#include "messages/records/knob_space.hpp"

namespace actors::logic {

class knob_features {
public:
  explicit knob_features(const messages::knob_space& space);

  /// Of the knobs, then of the pairs; a pair has both knobs in one group (the part of their names before the dot).
  const std::vector<axis_shape>& axes() const { return axes_; }

  /// @param x the index of the value of each knob
  setting of(const setting& x) const;

private:
  struct pair_axis {
    std::size_t a, b;
    int sign;  ///< 1: product, -1: quotient
  };

  void add(pair_axis pair);
  double place(const pair_axis& pair, std::uint32_t a, std::uint32_t b) const;

  std::vector<std::vector<double>> places_;  // of each knob's values: doublings above the first
  std::vector<axis_shape> axes_;
  std::vector<pair_axis> pairs_;
};

}  // namespace actors::logic
