#pragma once
// How the elements of a tensor are read and written. Halves are converted by integer arithmetic, which vectorises on
// every target; float to half rounds to nearest even.

#include "vector_math.hpp"

namespace km {

struct float16 {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};

template <class T>
inline T load(T x) {
  return x;
}

inline float load(float16 x) {
  const auto shifted = static_cast<uint32_t>(x.bits) << 16;
  const auto sign = shifted & 0x80000000u;
  const auto magnitude = shifted + shifted;
  const float normal = bits_as<float>((magnitude >> 4) + (0xe0u << 23)) * 0x1.0p-112f;
  const float subnormal = bits_as<float>((magnitude >> 17) | (126u << 23)) - 0.5f;
  return bits_as<float>(sign | (magnitude < (1u << 27) ? bits_as<uint32_t>(subnormal) : bits_as<uint32_t>(normal)));
}

inline float load(bfloat16 x) { return bits_as<float>(static_cast<uint32_t>(x.bits) << 16); }

/// To the stored type T from the type it is computed in.
template <class T>
struct storing {
  template <class From>
  static T of(From x) {
    return static_cast<T>(x);
  }
};

template <>
struct storing<float16> {
  static float16 of(double x) { return of(static_cast<float>(x)); }
  static float16 of(float x) {
    const auto bits = bits_as<uint32_t>(x);
    const auto magnitude = bits + bits;
    const auto exponent = magnitude & 0xff000000u;
    const auto bias = exponent < 0x71000000u ? 0x71000000u : exponent;
    const float scaled = (abs(x) * 0x1.0p+112f) * 0x1.0p-110f;  // to infinity where no half can hold it
    const auto rounded = bits_as<uint32_t>(bits_as<float>((bias >> 1) + 0x07800000u) + scaled);
    const auto finite = ((rounded >> 13) & 0x00007c00u) + (rounded & 0x00000fffu);
    return {static_cast<uint16_t>((bits >> 31 << 15) | (magnitude > 0xff000000u ? 0x7e00u : finite))};
  }
};

template <>
struct storing<bfloat16> {
  static bfloat16 of(double x) { return of(static_cast<float>(x)); }
  static bfloat16 of(float x) {
    const auto bits = bits_as<uint32_t>(x);
    const auto rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return {static_cast<uint16_t>(x != x ? (bits >> 16) | 0x0040u : rounded)};
  }
};

}  // namespace km
