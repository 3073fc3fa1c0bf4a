#pragma once
// Vectors as wide as the machine has them, for loops that have to keep sums in registers.

#include "vector_math.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are passed between functions of one file only

namespace km {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T>
struct vector_of;
template <>
struct vector_of<float> {
  typedef float type __attribute__((vector_size(vector_bytes)));
};
template <>
struct vector_of<double> {
  typedef double type __attribute__((vector_size(vector_bytes)));
};
template <class T>
using vector = typename vector_of<T>::type;

template <class T>
constexpr int64_t lanes_of = vector_bytes / static_cast<int64_t>(sizeof(T));

template <class T>
inline vector<T> load_vector(const T* from) {
  vector<T> x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

template <class T>
inline void store_vector(T* to, vector<T> x) {
  __builtin_memcpy(to, &x, sizeof x);
}

template <class T>
inline vector<T> repeated(T x) {
  return x - vector<T>{};
}

/// a * b + c, rounded once where the machine can.
inline vector<float> fma_vector(vector<float> a, vector<float> b, vector<float> c) {
#if defined(__AVX512F__)
  return __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<unsigned short>(-1), 4);  // 4: as rounding is set
#elif defined(__FMA__)
  return __builtin_ia32_vfmaddps256(a, b, c);
#else
  return a * b + c;
#endif
}
inline vector<double> fma_vector(vector<double> a, vector<double> b, vector<double> c) {
#if defined(__AVX512F__)
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, static_cast<unsigned char>(-1), 4);
#elif defined(__FMA__)
  return __builtin_ia32_vfmaddpd256(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace km
