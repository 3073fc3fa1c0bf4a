#pragma once

#include <cmath>
#include <cstddef>

namespace actors::report {

/// Of positive numbers; others are left out.
class geometric_mean {
public:
  void add(double x) {
    if (!(x > 0) || !std::isfinite(x)) return;
    sum_ += std::log(x);
    ++count_;
  }
  std::size_t count() const { return count_; }

  /// 0 where nothing was added.
  double value() const { return count_ ? std::exp(sum_ / static_cast<double>(count_)) : 0; }

private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace actors::report
