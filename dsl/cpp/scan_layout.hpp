#pragma once
// The order of loops of a scan: outer dimensions, then the axis as row, or the axis and then columns side by side.

#include "dsl/anchored.hpp"
#include "dsl/cpp/anchored_text.hpp"
#include "dsl/scan.hpp"

namespace dsl::cpp {

struct scan_layout {
  bool columns = false;             ///< the last dimension holds columns, the one before it is the axis
  std::vector<std::int64_t> outer;  ///< sizes of the outer dimensions; none: one
  std::int64_t length = 0;          ///< elements that are scanned in a row or column
  std::int64_t width = 1;           ///< columns side by side
  to_kernel_space input;
  to_kernel_space output;
};

scan_layout lay_out(const scan& x, const anchored& around);

}  // namespace dsl::cpp
