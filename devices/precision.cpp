#include "devices/precision.hpp"

#include <algorithm>
#include <string_view>

namespace devices {

using messages::draw_figures;
using messages::dtype;
using messages::output_figures;

namespace {

constexpr double of_eager = 4, of_output = 2e-5, of_wide_output = 1e-10;
// Rounding both operands of a product to 11, 8 bits leaves an error of about 3e-4, 2.3e-3 of the result's RMS; cutting
// bits off leaves twice as much.
constexpr double narrowest_tf32 = 9e-4, narrowest_bf16 = 1.5e-2;
constexpr double no_bits_left = 3e-3;  // what "tiny" shows of a half whose exponent has ended

std::string_view finest(dtype x) {
  switch (x) {
    case dtype::float16: return "fp16";
    case dtype::bfloat16: return "bf16";
    case dtype::float64: return "fp64";
    default: return "fp32";
  }
}

/// Two results that are rounded to the same narrow type and lie on different sides of a half differ by so much of the
/// RMS at most, also where eager is all that they can be held against.
double rounding_of(dtype x) {
  constexpr double to_float16 = 3e-4, to_bfloat16 = 2.4e-3;
  return x == dtype::float16 ? to_float16 : x == dtype::bfloat16 ? to_bfloat16 : 0;
}

/// Does eager compute it in float64, not only give it so? Then one rounding to float32 is too much. The judge says of
/// float64 that came through a narrower type that eager is off by a rounding.
bool is_wide(const output_figures& x) {
  return x.expected.dtype == dtype::float64 && x.eager_rms <= of_wide_output * x.reference_rms;
}

double share(double rms, const output_figures& x) { return x.reference_rms > 0 ? rms / x.reference_rms : 0; }

bool is_measurable(const output_figures& x) { return x.elements > 0 && is_floating(x.expected.dtype); }

/// Does a draw say something of the candidate's arithmetic? The task's own may be of one sign only, which hides errors,
/// but a candidate that is coarser there than elsewhere has looked at what it is given. Timed contents are "mixed".
bool is_telling(const draw_figures& x) {
  return x.finite && x.kind != "tiny" && x.weights == "given" && (x.probe.empty() || x.probe == "mixed");
}

bool halves_end(const std::vector<draw_figures>& draws) {
  return std::ranges::any_of(draws, [](const auto& draw) {
    return draw.kind == "tiny" && std::ranges::any_of(draw.outputs, [](const auto& x) {
             return !as_fine_as_eager(x) && share(x.rms, x) > no_bits_left;
           });
  });
}

}  // namespace

double allowed_rms(const output_figures& x) {
  auto of_rms = is_wide(x) ? of_wide_output : std::max(of_output, rounding_of(x.expected.dtype));
  return std::max(of_eager * x.eager_rms, of_rms * x.reference_rms);
}

bool as_fine_as_eager(const output_figures& x) { return x.rms <= allowed_rms(x); }

bool looks_narrow(const output_figures& x) {
  return is_measurable(x) && x.non_finite_mismatch == 0 && !as_fine_as_eager(x) && share(x.rms, x) <= narrowest_bf16;
}

precision_finding precision_of(const std::vector<draw_figures>& draws) {
  precision_finding worst;
  for (const auto& draw : draws)
    for (const auto& x : draw.outputs) {
      if (!is_telling(draw) || !is_measurable(x)) continue;
      if (worst.name.empty()) worst.name = finest(x.expected.dtype);
      if (as_fine_as_eager(x) || share(x.rms, x) <= worst.error_share) continue;
      worst = {worst.name, share(x.rms, x), share(x.eager_rms, x), draw.kind};
    }
  if (worst.error_share > narrowest_bf16)
    worst.name = "none";
  else if (worst.error_share > narrowest_tf32)
    worst.name = "bf16";
  else if (worst.error_share > 0 && worst.error_share <= of_output)
    worst.name = "fp32";
  else if (worst.error_share > 0)
    worst.name = halves_end(draws) ? "fp16" : "tf32";
  return worst;
}

}  // namespace devices
