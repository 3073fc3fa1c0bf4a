#pragma once
// Element-wise functions for kernels that g++ turns into vector code under `#pragma omp simd`: no branch, no call, no
// table. Right for NaN, infinities, both zeros, subnormals and every finite value; errors in units of the last place
// are given at each. Needs -fno-math-errno -fno-trapping-math; -ffast-math would break it. double goes through libm:
// exact to its own ulp, one element at a time.

#include <stdint.h>

namespace km {

template <class To, class From>
inline To bits_as(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &x, sizeof to);
  return to;
}

#ifdef __FMA__
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else  // a call for every element otherwise
inline float fma(float a, float b, float c) { return a * b + c; }
inline double fma(double a, double b, double c) { return a * b + c; }
#endif

inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }
inline float copysign(float x, float sign) { return __builtin_copysignf(x, sign); }
inline double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }
inline float floor(float x) { return __builtin_floorf(x); }
inline double floor(double x) { return __builtin_floor(x); }
inline float ceil(float x) { return __builtin_ceilf(x); }
inline double ceil(double x) { return __builtin_ceil(x); }
inline float trunc(float x) { return __builtin_truncf(x); }
inline double trunc(double x) { return __builtin_trunc(x); }
inline float round(float x) { return __builtin_rintf(x); }  ///< halves go to the even neighbour, as torch has it
inline double round(double x) { return __builtin_rint(x); }

template <class T>
constexpr T infinity = __builtin_inff();
template <class T>
constexpr T not_a_number = __builtin_nanf("");

/// NaN wins, as in torch.
template <class T>
inline T maximum(T a, T b) {
  const T larger = a >= b ? a : b;  // b where either is NaN
  return a != a ? a : larger;
}
template <class T>
inline T minimum(T a, T b) {
  const T smaller = a <= b ? a : b;
  return a != a ? a : smaller;
}

/// The same where `limit` is a number and no NaN: half the work.
template <class T>
inline T at_least(T x, T limit) {
  return x < limit ? limit : x;
}
template <class T>
inline T at_most(T x, T limit) {
  return x > limit ? limit : x;
}

// -- exp, expm1 -------------------------------------------------------------------------------------------------------

/// x = n ln 2 + r with |r| <= ln 2 / 2.
struct exp_parts {
  uint32_t exponent;  ///< n + bias in the low 9 bits, anything above
  float expm1_r;      ///< exp(r) - 1
};

template <int bias>
inline exp_parts split_exp(float x) {
  constexpr float to_integer = 12582912.0f + bias;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = fma(x, 1.44269504f, to_integer);
  const float n = shifted - to_integer;
  const float r = fma(n, -1.42860677e-6f, fma(n, -0.693145752f, x));
  float q = fma(1.9913571e-4f, r, 1.394102e-3f);
  q = fma(q, r, 8.333274e-3f);
  q = fma(q, r, 4.1666355e-2f);
  q = fma(q, r, 1.6666667e-1f);
  q = fma(q, r, 0.5f);
  return {bits_as<uint32_t>(shifted), fma(q, r * r, r)};
}

/// 2^n where the low 9 bits hold n + 127.
inline float power_of_two(uint32_t exponent) { return bits_as<float>(exponent << 23); }

/// exp(x) for x between -80 and 80.
inline float exp_inside(float x) {
  const auto e = split_exp<127>(x);
  const float scale = power_of_two(e.exponent);
  return fma(scale, e.expm1_r, scale);
}

/// 1 ulp.
inline float exp(float x) {
  const float low = x < -104.0f ? -104.0f : x;
  const auto e = split_exp<254>(low > 89.0f ? 89.0f : low);
  const uint32_t half = e.exponent >> 1;  // in two steps, for subnormal results and those near the largest
  return (1.0f + e.expm1_r) * power_of_two(half) * power_of_two(e.exponent - half);
}
inline double exp(double x) { return __builtin_exp(x); }

/// 2 ulp.
inline float expm1(float x) {
  const float low = x < -20.0f ? -20.0f : x;
  const auto e = split_exp<126>(low > 89.0f ? 89.0f : low);
  const float half_scale = power_of_two(e.exponent);  // half of it, since 2^128 is no float
  const float y = 2.0f * fma(half_scale, e.expm1_r, half_scale - 0.5f);
  return abs(x) < 5.9604645e-8f ? x : y;
}
inline double expm1(double x) { return __builtin_expm1(x); }

// -- log, log1p -------------------------------------------------------------------------------------------------------

/// log(1 + f) + k ln 2 + correction, for 1 + f between sqrt(1/2) and sqrt(2).
inline float log_of_parts(float f, float k, float correction) {
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float w = z * z;
  const float r = fma(z, fma(w, 0.284987867f, 0.666666627f), w * fma(w, 0.24279078826f, 0.40000972152f));
  const float half_square = 0.5f * f * f;
  const float small = fma(s, half_square + r, fma(k, 9.05800061445e-6f, correction));
  return fma(k, 0.693138123f, (small - half_square) + f);
}

/// 1 ulp.
inline float log(float x) {
  const bool tiny = x < 1.17549435e-38f;
  const auto bits = bits_as<int32_t>(tiny ? x * 33554432.0f : x) - 0x3f3504f3;  // bits of sqrt(1/2)
  const float k = static_cast<float>(bits >> 23) - (tiny ? 25.0f : 0.0f);
  const float f = bits_as<float>((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const float y = log_of_parts(f, k, 0.0f);
  const float at_edge = x == 0.0f ? -infinity<float> : (x < 0.0f ? not_a_number<float> : x);
  return (x > 0.0f) & (x < infinity<float>) ? y : at_edge;
}
inline double log(double x) { return __builtin_log(x); }

/// 1 ulp.
inline float log1p(float x) {
  const float u = 1.0f + x;
  const auto bits = bits_as<int32_t>(u) - 0x3f3504f3;
  const float k = static_cast<float>(bits >> 23);
  const bool near = (bits >> 23) == 0;
  const float lost = x >= 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
  const float f = near ? x : bits_as<float>((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const float y = log_of_parts(f, k, near ? 0.0f : lost / u);
  const float at_edge = x == -1.0f ? -infinity<float> : (x < -1.0f ? not_a_number<float> : x);
  const float inside = abs(x) < 5.9604645e-8f ? x : y;
  return (x > -1.0f) & (x < infinity<float>) ? inside : at_edge;
}
inline double log1p(double x) { return __builtin_log1p(x); }

// -- tanh, erf -------- -----------------------------------------------------------------------------------------------

/// 1.5 ulp.
inline float tanh(float x) {
  const float a = abs(x);
  const float z = x * x;
  float near = fma(-5.70498872745e-3f, z, 2.06390887954e-2f);
  near = fma(near, z, -5.37397155531e-2f);
  near = fma(near, z, 1.33314422036e-1f);
  near = fma(near, z, -3.33332819422e-1f);
  near = copysign(fma(near * z, x, x), x);  // the sum of two zeros loses the sign
  const float grown = exp_inside(a > 10.0f ? 20.0f : 2.0f * a);
  const float far = copysign(1.0f - 2.0f / (grown + 1.0f), x);
  return a < 0.625f ? near : far;
}
inline double tanh(double x) { return __builtin_tanh(x); }

/// 2 ulp. erf(t) = 1 - exp(t P(t)) for t >= 0, where P approximates log(erfc(t)) / t on [0, 4].
inline float erf(float x) {
  const float a = abs(x);
  const float t = a > 4.0f ? 4.0f : a;
  float p = fma(0x1.36971ap-17f, t, -0x1.ed6cc4p-14f);
  p = fma(p, t, 0x1.4bca18p-11f);
  p = fma(p, t, -0x1.b50078p-10f);
  p = fma(p, t, 0x1.506114p-13f);
  p = fma(p, t, 0x1.39cdc4p-6f);
  p = fma(p, t, -0x1.a4fa5ep-4f);
  p = fma(p, t, -0x1.45f2fap-1f);
  p = fma(p, t, -0x1.06eba8p-3f);  // less 1, for more digits: the -t below
  const auto e = split_exp<127>(fma(p, t, -t));
  const float scale = power_of_two(e.exponent);
  return copysign(fma(scale, e.expm1_r, scale - 1.0f), x);
}
inline double erf(double x) { return __builtin_erf(x); }

// -- pow --------------------------------------------------------------------------------------------------------------

/// For x > 0, finite; relative error 2^-36. Free of selects: g++ 12 mixes no masks of float and double.
inline double log2_in_double(float x) {
  const auto bits = bits_as<uint64_t>(static_cast<double>(x)) - 0x3fe6a09e00000000u + (1023ull << 52);
  const double k = bits_as<double>((bits >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
  const double m = bits_as<double>((bits & 0x000fffffffffffffu) + 0x3fe6a09e00000000u);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = fma(1.0 / 15, z, 1.0 / 13);
  p = fma(p, z, 1.0 / 11);
  p = fma(p, z, 1.0 / 9);
  p = fma(p, z, 1.0 / 7);
  p = fma(p, z, 1.0 / 5);
  p = fma(p, z, 1.0 / 3);
  return fma(fma(p, z, 1.0) * s, 2.885390081777926815, k);
}

/// Relative error 2^-32; beyond the range of float the result is 0 or infinite once it is rounded to float.
inline double exp2_in_double(double x) {
  const double low = x < -1000.0 ? -1000.0 : x;
  const double within = low > 1000.0 ? 1000.0 : low;
  constexpr double to_integer = 6755399441055744.0;  // 1.5 * 2^52
  const double shifted = within + to_integer;
  const double r = (within - (shifted - to_integer)) * 0.693147180559945309;
  double p = fma(1.0 / 40320, r, 1.0 / 5040);
  p = fma(p, r, 1.0 / 720);
  p = fma(p, r, 1.0 / 120);
  p = fma(p, r, 1.0 / 24);
  p = fma(p, r, 1.0 / 6);
  p = fma(p, r, 0.5);
  p = fma(p, r, 1.0);
  p = fma(p, r, 1.0);
  return p * bits_as<double>(static_cast<uint64_t>(bits_as<int64_t>(shifted) + 1023) << 52);
}

/// 1 ulp; C's rules for special values. What depends on y alone ends in a number, never in a bool: g++ 12 takes no mask
/// from outside of the loop, and y is often the same for all elements.
inline float pow(float base, float y) {
  const float x = y == 0.0f ? 1.0f : base;
  const float a = abs(x);
  const auto power = static_cast<float>(exp2_in_double(static_cast<double>(y) * log2_in_double(a)));
  const float of_zero = y < 0.0f ? infinity<float> : 0.0f;
  const float of_infinity = y < 0.0f ? 0.0f : infinity<float>;
  const float at_edge = a == 0.0f ? of_zero : of_infinity;
  const float unless_one = (a > 0.0f) & (a < infinity<float>) ? power : at_edge;
  const float size = a == 1.0f ? 1.0f : unless_one;
  const float half = 0.5f * y;
  const float of_negative = round(y) == y ? 1.0f : not_a_number<float>;
  const float whole = round(y) == y ? 1.0f : 0.0f;
  const float odd = round(half) == half ? 0.0f : 1.0f;
  const float sign_if_whole = fma(-2.0f * whole, odd, 1.0f);
  const float with_sign = copysign(1.0f, x) < 0.0f ? size * sign_if_whole : size;
  const float regular = (x < 0.0f) & (a < infinity<float>) ? with_sign * of_negative : with_sign;
  const float nan_of_y = y != y ? y : -0.0f;
  const float or_nan = (x != x ? x : regular) + nan_of_y;
  return x == 1.0f ? 1.0f : or_nan;
}
inline double pow(double x, double y) { return __builtin_pow(x, y); }

// Right, but one element at a time.
inline float sin(float x) { return __builtin_sinf(x); }
inline double sin(double x) { return __builtin_sin(x); }
inline float cos(float x) { return __builtin_cosf(x); }
inline double cos(double x) { return __builtin_cos(x); }

// -- the same from libm: slower, one element at a time ----------------------------------------------------------------

namespace plain {

inline float exp(float x) { return __builtin_expf(x); }
inline float expm1(float x) { return __builtin_expm1f(x); }
inline float log(float x) { return __builtin_logf(x); }
inline float log1p(float x) { return __builtin_log1pf(x); }
inline float tanh(float x) { return __builtin_tanhf(x); }
inline float erf(float x) { return __builtin_erff(x); }
inline float pow(float x, float y) { return __builtin_powf(x, y); }
using km::cos;
using km::sin;
inline double exp(double x) { return km::exp(x); }
inline double expm1(double x) { return km::expm1(x); }
inline double log(double x) { return km::log(x); }
inline double log1p(double x) { return km::log1p(x); }
inline double tanh(double x) { return km::tanh(x); }
inline double erf(double x) { return km::erf(x); }
inline double pow(double x, double y) { return km::pow(x, y); }

}  // namespace plain

}  // namespace km
