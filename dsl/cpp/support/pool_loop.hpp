#pragma once
// Pools: rows of a window are combined first, then columns. Both with all numbers of a row side by side.

#include "window_loop.hpp"

namespace km {

struct pool_max {
  static constexpr bool is_average = false;
  template <class T>
  static constexpr T neutral = -infinity<T>;
  template <class T>
  static T of(T a, T b) {
    return maximum(a, b);
  }
};

struct pool_average {
  static constexpr bool is_average = true;
  template <class T>
  static constexpr T neutral = 0;
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
};

/// to = rows[0] o ... o rows[count - 1]; count is 1 to 4.
template <class M, class T>
inline void combine_rows(T* __restrict__ to, const T* const* rows, int count, int64_t n) {
  const T *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  if (count == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) to[i] = a[i];
  } else if (count == 2) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) to[i] = M::of(a[i], b[i]);
  } else if (count == 3) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) to[i] = M::of(M::of(a[i], b[i]), c[i]);
  } else {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) to[i] = M::of(M::of(a[i], b[i]), M::of(c[i], d[i]));
  }
}

/// t[i] = t[i] o t[i + step].
template <class M, class T>
inline void double_windows(T* t, int64_t step, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) t[i] = M::of(t[i], t[i + step]);
}

template <class M, class T>
inline void join_windows(T* __restrict__ to, const T* __restrict__ t, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) to[i] = M::of(to[i], t[i]);
}

/// Windows of any size at stride 1, in as many steps as the size has bits: t becomes windows of 2, 4, 8, ... columns,
/// and the size's bits say which of them make one window.
template <class G>
inline void slide(typename G::number* out, typename G::number* t, int64_t needed, int64_t n) {
  using M = typename G::monoid;
  constexpr int64_t size = G::width.size, dilation = G::width.dilation;
  bool begun = false;
  int64_t done = 0, left = needed;
  for (int64_t bit = 1; bit <= size; bit *= 2) {
    if (size & bit) {
      if (begun) {
        join_windows<M>(out, t + done * dilation, n);
      } else {
        __builtin_memcpy(out, t, static_cast<size_t>(n) * sizeof *t);
      }
      begun = true;
      done += bit;
    }
    if (2 * bit > size) break;
    left -= bit * dilation;
    double_windows<M>(t, bit * dilation, left);
  }
}

/// Small windows: all columns of a window at once.
template <class G>
inline void gather_columns(typename G::number* __restrict__ out, const typename G::number* __restrict__ t, int64_t n) {
  using M = typename G::monoid;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    auto sum = t[i * G::width.stride];
#pragma GCC unroll 8
    for (int64_t k = 1; k < G::width.size; ++k) sum = M::of(sum, t[i * G::width.stride + k * G::width.dilation]);
    out[i] = sum;
  }
}

template <class M, int64_t stride, class T>
inline void join_columns(T* __restrict__ out, const T* __restrict__ t, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = M::of(out[i], t[i * stride]);
}

template <class G>
inline void combine_columns(typename G::number* out, typename G::number* t, int64_t needed, int64_t n) {
  using M = typename G::monoid;
  if constexpr (G::width.size <= 3 || (G::width.stride > 1 && G::width.size <= 8)) {
    gather_columns<G>(out, t, n);
  } else if constexpr (G::width.stride == 1) {
    slide<G>(out, t, needed, n);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = t[i * G::width.stride];
    for (int64_t k = 1; k < G::width.size; ++k) {
      join_columns<M, G::width.stride>(out, t + k * G::width.dilation, n);
    }
  }
}

/// What the sums of one row are divided by; along one dimension as dsl::divisor_along says it.
template <class G>
class pool_divisors {
public:
  using number = typename G::number;

  pool_divisors(window_tile tile, number* columns) : columns_(columns) {
    for (int64_t i = 0; i < tile.count; ++i) columns_[i] = static_cast<number>(along(G::width, tile.first + i));
  }

  void divide(number* __restrict__ out, int64_t n, int64_t depth, int64_t row) const {
    const number* __restrict__ columns = columns_;
    if constexpr (G::divisor != 0) {
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) out[i] = out[i] / static_cast<number>(G::divisor);
    } else {
      const auto others = static_cast<number>(along(G::depth, depth) * along(G::height, row));
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) out[i] = out[i] / (columns[i] * others);
    }
  }

private:
  static constexpr int64_t along(const window_axis& axis, int64_t o) {
    const int64_t begin = axis.begin(o);
    const int64_t end = lesser(begin + axis.size, axis.input + axis.padding);
    return G::counts_padding ? end - begin : lesser(end, axis.input) - greater(begin, 0);
  }

  number* columns_;
};

/// The rows of a window as one row of `needed` columns in t.
template <class G>
inline void combine_window_rows(window_rows<G>& rows, int64_t row, typename G::number* t) {
  using T = typename G::number;
  using M = typename G::monoid;
  const int64_t head = G::direct ? lesser(rows.head(), rows.needed()) : 0;
  const int64_t n = G::direct ? rows.inside() : rows.needed();
  const T* some[4]{};
  int count = 0;
  bool begun = false;
  auto flush = [&] {
    combine_rows<M>(t + head, some, count, n);
    some[0] = t + head;
    count = 1;
    begun = true;
  };
  for (int64_t d = 0; d < G::depth.size; ++d) {
    for (int64_t h = 0; h < G::height.size; ++h) {
      const T* from = rows.row(row, d, h);
      if (from == nullptr) continue;
      if (count == 4) flush();
      some[count++] = from + head;
    }
  }
  if (count > (begun ? 1 : 0)) flush();
  if (!begun) {
    for (int64_t i = 0; i < rows.needed(); ++i) t[i] = M::template neutral<T>;
    return;
  }
  for (int64_t i = 0; i < head; ++i) t[i] = M::template neutral<T>;
  for (int64_t i = head + n; i < rows.needed(); ++i) t[i] = M::template neutral<T>;
}

template <class G>
inline int run_pool(const typename G::tensors& x, int threads) {
  using T = typename G::number;
  constexpr int64_t pitch = window_rows<G>::pitch;
  constexpr int64_t numbers = window_rows<G>::numbers + pitch + 2 * ((G::tile + 15) / 16 * 16);
  return each_window_block<G>(threads, numbers * static_cast<int64_t>(sizeof(T)),
                              [&](const int64_t* block, int64_t first, int64_t count, window_tile tile, char* memory) {
                                T* t = reinterpret_cast<T*>(memory);
                                T* out = t + pitch;
                                T* divisors = out + (G::tile + 15) / 16 * 16;
                                window_rows<G> rows(x, block[0], block[1], tile, divisors + (G::tile + 15) / 16 * 16);
                                pool_divisors<G> divide_by(tile, divisors);
                                rows.move_to(block[2]);
                                for (int64_t row = first; row < first + count; ++row) {
                                  rows.prepare(row);
                                  combine_window_rows<G>(rows, row, t);
                                  combine_columns<G>(out, t, rows.needed(), tile.count);
                                  if constexpr (G::monoid::is_average) divide_by.divide(out, tile.count, block[2], row);
                                  const int64_t at[] = {block[0], block[1], block[2], row, tile.first};
                                  G::write(x, at, tile.count, out);
                                }
                              });
}

}  // namespace km
