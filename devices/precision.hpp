#pragma once
// With how many bits a candidate computed, from its errors beside eager's. Measured, never assumed: within a tolerance
// of 1e-4 a narrow float passes on many tasks.

#include <string>
#include <vector>

#include "messages/records/figures.hpp"

namespace devices {

struct precision_finding {
  /// "fp64", "fp32", "tf32", "fp16", "bf16", as fine as the task's own type at best; "none": coarser than all; empty:
  /// there was no floating output to measure, or no draw that shows it.
  std::string name;
  double error_share = 0;  ///< RMS of the worst error over that of the output
  double eager_share = 0;  ///< eager's, at the same place
  std::string draw;        ///< its kind
};

/// The worst over all outputs of redraws with the weights that were given. As fine as the reference where the error is
/// at most 4 times eager's or 2e-5 of the output's RMS; 1e-10 of it, where eager computes in float64. "tf32" and "fp16"
/// have the same mantissa: they are told apart on the draw "tiny", where halves have no bits left.
precision_finding precision_of(const std::vector<messages::draw_figures>& draws);

/// RMS of the error that the reference's own arithmetic may have on this output.
double allowed_rms(const messages::output_figures& x);

/// Is the error of this output that of the reference's own arithmetic?
bool as_fine_as_eager(const messages::output_figures& x);

/// Is it coarser than that, but still like rounding to a narrow float? Then it is a matter of precision, not of values.
bool looks_narrow(const messages::output_figures& x);

}  // namespace devices
