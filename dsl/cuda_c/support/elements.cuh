#pragma once
// Elements of tensors: how they are read, computed with and written. Needs no header of CUDA's; arithmetic is IEEE's,
// NaN included, as long as nobody builds with --use_fast_math.

namespace km {

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;

struct float16 {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};

// -- one element ------------------------------------------------------------------------------------------------------

template <class T>
__device__ inline T load(T x) {
  return x;
}
__device__ inline float load(float16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
__device__ inline float load(bfloat16 x) { return __uint_as_float(static_cast<uint32_t>(x.bits) << 16); }

/// Nearest float whose last bit says whether something was lost: rounding that again rounds x once.
__device__ inline float rounded_to_odd(double x) {
  const float y = __double2float_rz(x);
  const bool exact = static_cast<double>(y) == x || x != x;
  return exact ? y : __uint_as_float(__float_as_uint(y) | 1u);
}

/// To the stored type T from the type it is computed in.
template <class T>
struct storing {
  template <class From>
  __device__ static T of(From x) {
    return static_cast<T>(x);
  }
};
template <>
struct storing<float16> {
  __device__ static float16 of(float x) {
    float16 y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
  }
  __device__ static float16 of(double x) { return of(rounded_to_odd(x)); }
  __device__ static float16 of(int64_t x) { return of(static_cast<float>(x)); }
};
template <>
struct storing<bfloat16> {
  __device__ static bfloat16 of(float x) {
    bfloat16 y;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
  }
  __device__ static bfloat16 of(double x) { return of(rounded_to_odd(x)); }
  __device__ static bfloat16 of(int64_t x) { return of(static_cast<float>(x)); }
};

// -- several elements that lie side by side ---------------------------------------------------------------------------

/// Moves by up to 16 bytes at once; its address is a multiple of its size, or of 16 bytes.
template <class T, int count>
struct alignas(count * sizeof(T) < 16 ? count * sizeof(T) : 16) pack {
  T at[count];
};

template <int bytes>
struct word_of {
  using type = uint4;
};
template <>
struct word_of<8> {
  using type = uint2;
};
template <>
struct word_of<4> {
  using type = uint32_t;
};
template <>
struct word_of<2> {
  using type = uint16_t;
};
template <>
struct word_of<1> {
  using type = uint8_t;
};

template <int count, class T>
__device__ inline pack<T, count> read(const T* from) {
  return *reinterpret_cast<const pack<T, count>*>(from);
}

/// @tparam past the result is not read soon: it need not stay in the caches
template <bool past, class T, int count>
__device__ inline void write(T* to, const pack<T, count>& x) {
  constexpr int bytes = count * static_cast<int>(sizeof(T));
  constexpr int step = bytes < 16 ? bytes : 16;
  using word = typename word_of<step>::type;
  if constexpr (past) {
    const word* from = reinterpret_cast<const word*>(&x);
#pragma unroll
    for (int i = 0; i < bytes / step; ++i) __stcs(reinterpret_cast<word*>(to) + i, from[i]);
  } else {
    *reinterpret_cast<pack<T, count>*>(to) = x;
  }
}

// -- numbers ----------------------------------------------------------------------------------------------------------

template <class T>
constexpr T infinity = static_cast<T>(__builtin_bit_cast(double, 0x7ff0000000000000ull));
template <class T>
constexpr T not_a_number = static_cast<T>(__builtin_bit_cast(double, 0x7ff8000000000000ull));

/// NaN if either is; the device's own fmaxf drops it.
__device__ inline float maximum(float a, float b) {
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
__device__ inline float minimum(float a, float b) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
template <class T>
__device__ inline T maximum(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
__device__ inline T minimum(T a, T b) {
  return a < b || a != a ? a : b;
}
template <class T>
__device__ inline T at_least(T x, T least) {
  return maximum(x, least);
}
template <class T>
__device__ inline T at_most(T x, T most) {
  return minimum(x, most);
}

#define KM_FUNCTION(name, single, wide)                    \
  __device__ inline float name(float x) { return ::single(x); } \
  __device__ inline double name(double x) { return ::wide(x); }
KM_FUNCTION(abs, fabsf, fabs)
KM_FUNCTION(sqrt, sqrtf, sqrt)
KM_FUNCTION(floor, floorf, floor)
KM_FUNCTION(ceil, ceilf, ceil)
KM_FUNCTION(round, rintf, rint)
KM_FUNCTION(trunc, truncf, trunc)
KM_FUNCTION(exp, expf, exp)
KM_FUNCTION(expm1, expm1f, expm1)
KM_FUNCTION(log, logf, log)
KM_FUNCTION(log1p, log1pf, log1p)
KM_FUNCTION(tanh, tanhf, tanh)
KM_FUNCTION(erf, erff, erf)
KM_FUNCTION(sin, sinf, sin)
KM_FUNCTION(cos, cosf, cos)
#undef KM_FUNCTION
__device__ inline int64_t abs(int64_t x) { return x < 0 ? -x : x; }
__device__ inline float pow(float x, float y) { return ::powf(x, y); }
__device__ inline double pow(double x, double y) { return ::pow(x, y); }

}  // namespace km
