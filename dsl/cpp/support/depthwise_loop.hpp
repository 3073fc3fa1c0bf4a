#pragma once
// Depthwise convolutions: each output channel slides its own window over one input channel. Sums of up to four vectors
// of columns stay in registers while all taps are added.

#include "vectors.hpp"
#include "window_loop.hpp"

namespace km {

template <class G>
constexpr int64_t window_row_count = G::depth.size* G::height.size;

/// Where tap k of a row lies behind the column of the output.
template <class G>
constexpr int64_t tap_offset(int64_t k) {
  const int64_t column = k * G::width.dilation;
  return column % G::width.stride * window_rows<G>::phase_pitch + column / G::width.stride;
}

/// `count` vectors of columns from the i-th on.
template <class G, int count, class T>
inline void convolve_vectors(T* out, const T* const* rows, const T* weights, T bias, int64_t i) {
  constexpr int64_t lanes = lanes_of<T>;
  vector<T> sums[count];
#pragma GCC unroll 4
  for (int v = 0; v < count; ++v) sums[v] = repeated(bias);
  for (int64_t r = 0; r < window_row_count<G>; ++r) {
    const T* row = rows[r] + i;
    for (int64_t k = 0; k < G::width.size; ++k) {
      const auto weight = repeated(weights[r * G::width.size + k]);
      const T* from = row + tap_offset<G>(k);
#pragma GCC unroll 4
      for (int v = 0; v < count; ++v) sums[v] = fma_vector(weight, load_vector(from + v * lanes), sums[v]);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < count; ++v) store_vector(out + i + v * lanes, sums[v]);
}

template <class G, class T>
inline T convolve_one(const T* const* rows, const T* weights, T bias, int64_t i) {
  for (int64_t r = 0; r < window_row_count<G>; ++r) {
    for (int64_t k = 0; k < G::width.size; ++k) {
      bias = fma(weights[r * G::width.size + k], rows[r][i + tap_offset<G>(k)], bias);
    }
  }
  return bias;
}

/// n columns; the last vector may compute some of them again.
template <class G, class T>
inline void convolve_row(T* out, const T* const* rows, const T* weights, T bias, int64_t n) {
  constexpr int64_t lanes = lanes_of<T>;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) convolve_vectors<G, 4>(out, rows, weights, bias, i);
  for (; i + lanes <= n; i += lanes) convolve_vectors<G, 1>(out, rows, weights, bias, i);
  if (i < n && n >= lanes) {
    convolve_vectors<G, 1>(out, rows, weights, bias, n - lanes);
    return;
  }
  for (; i < n; ++i) out[i] = convolve_one<G>(rows, weights, bias, i);
}

template <class G>
inline void read_weights(const typename G::tensors& x, int64_t channel, typename G::number* to) {
  for (int64_t d = 0; d < G::depth.size; ++d) {
    for (int64_t h = 0; h < G::height.size; ++h, to += G::width.size) {
      const int64_t at[] = {channel, 0, d, h, 0};
      G::read_weight(x, at, G::width.size, to);
    }
  }
}

template <class G>
inline int run_depthwise(const typename G::tensors& x, int threads) {
  using T = typename G::number;
  constexpr int64_t pitch = window_rows<G>::pitch;
  constexpr int64_t row_count = window_row_count<G>;
  constexpr int64_t weight_count = (row_count * G::width.size + 15) / 16 * 16;
  constexpr int64_t columns = (G::tile + 15) / 16 * 16;
  constexpr int64_t numbers = columns + pitch + weight_count + window_rows<G>::numbers;
  constexpr int64_t bytes = numbers * static_cast<int64_t>(sizeof(T));
  return each_window_block<G>(
      threads, bytes, [&](const int64_t* block, int64_t first, int64_t count, window_tile tile, char* memory) {
        T* out = reinterpret_cast<T*>(memory);
        T* zeros = out + columns;
        T* weights = zeros + pitch;
        for (int64_t i = 0; i < pitch; ++i) zeros[i] = 0;
        read_weights<G>(x, block[1], weights);
        const T bias = G::bias(x, block[1]);
        window_rows<G> rows(x, block[0], block[1] / G::multiplier, tile, weights + weight_count);
        rows.move_to(block[2]);
        const T* taps[row_count];
        for (int64_t row = first; row < first + count; ++row) {
          rows.prepare(row);
          for (int64_t r = 0; r < row_count; ++r) {
            const T* from = rows.row(row, r / G::height.size, r % G::height.size);
            taps[r] = from != nullptr ? from : zeros;
          }
          convolve_row<G>(out, taps, weights, bias, tile.count);
          const int64_t at[] = {block[0], block[1], block[2], row, tile.first};
          G::write(x, at, tile.count, out);
        }
      });
}

}  // namespace km
