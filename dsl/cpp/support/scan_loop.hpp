#pragma once
// Scans by rows, vectorised within a row, and by columns, vectorised across them.

#include "lent.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are passed between functions of this file only

namespace km {

// -- monoids: of one number and of vectors of eight -------------------------------------------------------------------

typedef double double_vector __attribute__((vector_size(64)));
typedef int64_t integer_vector __attribute__((vector_size(64)));
typedef uint64_t unsigned_vector __attribute__((vector_size(64)));
constexpr int64_t lanes = 8;

namespace scanning {

/// Integers wrap around, as torch's do.
struct sum {
  template <class T>
  static constexpr T neutral = 0;
  static double of(double a, double b) { return a + b; }
  static int64_t of(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
  static double_vector of(double_vector a, double_vector b) { return a + b; }
  static integer_vector of(integer_vector a, integer_vector b) {
    return (integer_vector)((unsigned_vector)a + (unsigned_vector)b);
  }
};

struct product {
  template <class T>
  static constexpr T neutral = 1;
  static double of(double a, double b) { return a * b; }
  static int64_t of(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
  static double_vector of(double_vector a, double_vector b) { return a * b; }
  static integer_vector of(integer_vector a, integer_vector b) {
    return (integer_vector)((unsigned_vector)a * (unsigned_vector)b);
  }
};

template <class T>
constexpr T lowest = -__builtin_inf();
template <>
constexpr int64_t lowest<int64_t> = INT64_MIN;
template <class T>
constexpr T highest = __builtin_inf();
template <>
constexpr int64_t highest<int64_t> = INT64_MAX;

/// NaN wins.
struct greatest {
  template <class T>
  static constexpr T neutral = lowest<T>;
  template <class T>
  static T of(T a, T b) {
    const T larger = a >= b ? a : b;
    return a != a ? a : larger;
  }
};

struct least {
  template <class T>
  static constexpr T neutral = highest<T>;
  template <class T>
  static T of(T a, T b) {
    const T smaller = a <= b ? a : b;
    return a != a ? a : smaller;
  }
};

struct log_sum_exp {
  template <class T>
  static constexpr T neutral = lowest<T>;
  static double of(double a, double b) {
    const double smaller = b != b ? b : (a <= b ? a : b);
    const double larger = b != b ? b : (a <= b ? b : a);
    if (a != a) return a;
    const bool alike = smaller == larger && larger - larger != 0;  // both infinite
    return alike ? a : __builtin_log1p(__builtin_exp(smaller - larger)) + larger;
  }
};

}  // namespace scanning

// -- one tile of a row ------------------------------------------------------------------------------------------------

template <class M, class V>
inline V scan_vector(V x, V neutral) {
  typedef int64_t mask __attribute__((vector_size(64)));
  x = M::of(__builtin_shuffle(x, neutral, mask{8, 0, 1, 2, 3, 4, 5, 6}), x);
  x = M::of(__builtin_shuffle(x, neutral, mask{8, 9, 0, 1, 2, 3, 4, 5}), x);
  return M::of(__builtin_shuffle(x, neutral, mask{8, 9, 10, 11, 0, 1, 2, 3}), x);
}

template <class M, class V, class T>
inline int64_t scan_whole_vectors(T* t, int64_t n, T& carry) {
  typedef int64_t mask __attribute__((vector_size(64)));
  V neutral, before;
  for (int64_t k = 0; k < lanes; ++k) neutral[k] = M::template neutral<T>, before[k] = carry;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    V x;
    __builtin_memcpy(&x, t + i, sizeof x);
    x = scan_vector<M>(x, neutral);
    const V scanned = M::of(before, x);
    before = M::of(before, __builtin_shuffle(x, mask{7, 7, 7, 7, 7, 7, 7, 7}));
    __builtin_memcpy(t + i, &scanned, sizeof scanned);
  }
  carry = before[0];
  return i;
}

template <class M>
struct tile_scan {
  static int64_t vectors(double* t, int64_t n, double& carry) {
    return scan_whole_vectors<M, double_vector>(t, n, carry);
  }
  static int64_t vectors(int64_t* t, int64_t n, int64_t& carry) {
    return scan_whole_vectors<M, integer_vector>(t, n, carry);
  }
};
template <>
struct tile_scan<scanning::log_sum_exp> {
  static int64_t vectors(double*, int64_t, double&) { return 0; }
};

/// Scans n numbers in place.
template <class M, class T>
inline void scan_tile(T* t, int64_t n, T& carry) {
  for (int64_t i = tile_scan<M>::vectors(t, n, carry); i < n; ++i) t[i] = carry = M::of(carry, t[i]);
}

template <class M, class T>
inline T total(const T* t, int64_t n, T before) {
  for (int64_t i = 0; i < n; ++i) before = M::of(before, t[i]);
  return before;
}

// -- rows -------------------------------------------------------------------------------------------------------------

/// Elements [begin, end) of one row, after those that gave `carry`.
template <class G>
inline typename G::number scan_part(const typename G::tensors& x, int64_t row, int64_t begin, int64_t end,
                                    typename G::number carry, bool writes) {
  using T = typename G::number;
  alignas(64) T t[G::tile];
  int64_t at[G::outer_rank + 1];
  split_index(row, G::outer, G::outer_rank, at);
  int64_t& along = at[G::outer_rank];
  for (int64_t i = begin; i < end; i += G::tile) {
    const int64_t n = lesser(G::tile, end - i);
    along = i;
    G::read(x, at, n, t);
    scan_tile<typename G::monoid>(t, n, carry);
    along = i + G::exclusive;
    if (writes) G::write(x, at, n, t);
  }
  if (writes) G::end_writes();
  return carry;
}

template <class G>
inline void write_neutral(const typename G::tensors& x, int64_t row) {
  int64_t at[G::outer_rank + 1];
  split_index(row, G::outer, G::outer_rank, at);
  at[G::outer_rank] = 0;
  const auto neutral = G::monoid::template neutral<typename G::number>;
  G::write(x, at, 1, &neutral);
}

template <class G>
constexpr int64_t outer_count() {
  int64_t count = 1;
  for (int d = 0; d < G::outer_rank; ++d) count *= G::outer[d];
  return count;
}

/// Few rows, many threads: parts of a row are totalled first, then scanned.
template <class G>
inline int scan_parts(const typename G::tensors& x, int threads) {
  using T = typename G::number;
  using M = typename G::monoid;
  constexpr int64_t rows = outer_count<G>();
  constexpr int64_t most = 64;
  const int64_t parts = lesser(most, threads * 2);
  const int64_t size = (G::length + parts - 1) / parts;
  T before[most];
  for (int64_t row = 0; row < rows; ++row) {
    if (G::exclusive) write_neutral<G>(x, row);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t p = 0; p < parts - 1; ++p) {
      before[p + 1] = scan_part<G>(x, row, lesser(p * size, G::length), lesser((p + 1) * size, G::length),
                                   M::template neutral<T>, false);
    }
    before[0] = M::template neutral<T>;
    for (int64_t p = 1; p < parts; ++p) before[p] = M::of(before[p - 1], before[p]);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t p = 0; p < parts; ++p) {
      scan_part<G>(x, row, lesser(p * size, G::length), lesser((p + 1) * size, G::length), before[p], true);
    }
  }
  return accepted;
}

template <class G>
inline int scan_rows(const typename G::tensors& x, int threads) {
  constexpr int64_t rows = outer_count<G>();
  if (rows < threads && G::length >= 32768) return scan_parts<G>(x, threads);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t row = 0; row < rows; ++row) {
    if (G::exclusive) write_neutral<G>(x, row);
    scan_part<G>(x, row, 0, G::length, G::monoid::template neutral<typename G::number>, true);
  }
  return accepted;
}

// -- columns ----------------------------------------------------------------------------------------------------------

template <class M, class T>
inline void combine(T* __restrict__ sum, const T* __restrict__ t, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) sum[i] = M::of(sum[i], t[i]);
}

/// n columns, from `first` on.
template <class G>
inline void scan_column_tile(const typename G::tensors& x, int64_t outer, int64_t first, int64_t n) {
  using T = typename G::number;
  alignas(64) T t[G::tile], sum[G::tile];
  int64_t at[G::outer_rank + 2];
  split_index(outer, G::outer, G::outer_rank, at);
  at[G::outer_rank + 1] = first;
  int64_t& along = at[G::outer_rank];
  for (int64_t k = 0; k < n; ++k) sum[k] = G::monoid::template neutral<T>;
  along = 0;
  if (G::exclusive) G::write(x, at, n, sum);
  for (int64_t i = 0; i < G::length; ++i) {
    along = i;
    G::read(x, at, n, t);
    combine<typename G::monoid>(sum, t, n);
    along = i + G::exclusive;
    G::write(x, at, n, sum);
  }
  G::end_writes();
}

template <class G>
inline int scan_columns(const typename G::tensors& x, int threads) {
  constexpr int64_t tiles = (G::width + G::tile - 1) / G::tile;
  constexpr int64_t units = outer_count<G>() * tiles;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t unit = 0; unit < units; ++unit) {
    const int64_t first = unit % tiles * G::tile;
    scan_column_tile<G>(x, unit / tiles, first, lesser(G::tile, G::width - first));
  }
  return accepted;
}

}  // namespace km
