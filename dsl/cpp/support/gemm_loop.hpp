#pragma once
// Products of matrices by blocks: a block of the result is summed up in the second-level cache from packed panels of
// both operands; a tile of it, in registers. Panels are filled up with zeros, so that there is one tile size.

#include "lent.hpp"
#include "vectors.hpp"

namespace km {

/// How the block of one thread is cut and lies in memory. T is what it computes in. Rows of a packed operand are an odd
/// number of cache lines apart, so that they share no place in the first-level cache.
template <class G>
struct gemm_shape {
  using T = typename G::number;
  static constexpr int64_t lanes = lanes_of<T>;
  static constexpr int64_t vectors = G::n > lanes ? 2 : 1;
  static constexpr int64_t columns = vectors * lanes;  ///< of a tile
  static constexpr int64_t most_rows = vector_bytes == 64 ? 12 : 6;
  static constexpr int64_t rows = G::m < 1 ? 1 : lesser(most_rows, G::m);  ///< of a tile

  static constexpr int64_t up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }
  static constexpr int64_t pitch(int64_t x) {
    constexpr int64_t line = 64 / static_cast<int64_t>(sizeof(T));
    return (up(x, line) / line | 1) * line;
  }
  static constexpr int64_t block_m = up(lesser(G::block_m, G::m < 1 ? 1 : G::m), rows);
  static constexpr int64_t block_n = up(lesser(G::block_n, G::n < 1 ? 1 : G::n), columns);
  static constexpr int64_t block_k = lesser(G::block_k, G::k);
  static constexpr int64_t left_row =
      G::left_along_k ? pitch(block_k) : 1;  ///< from one line of the result to the next
  static constexpr int64_t left_k = G::left_along_k ? 1 : pitch(block_m);
  static constexpr int64_t right_k = pitch(block_n);

  static constexpr int64_t sums = block_m * block_n;
  static constexpr int64_t left = G::left_along_k ? block_m * left_row : block_k * left_k;
  static constexpr int64_t right = block_k * right_k;
  static constexpr int64_t turned = G::right_along_k ? lanes * pitch(block_k) : block_n;  ///< rows on their way
  static constexpr int64_t numbers = sums + left + right + turned;
};

// -- one tile ---------------------------------------------------------------------------------------------------------

/// to += left * right, or = if it begins.
template <class S>
inline void multiply_tile(typename S::T* to, const typename S::T* left, const typename S::T* right, int64_t depth,
                          bool begins) {
  using V = vector<typename S::T>;
  V sums[S::rows][S::vectors];
#pragma GCC unroll 16
  for (int64_t i = 0; i < S::rows; ++i) {
#pragma GCC unroll 2
    for (int64_t v = 0; v < S::vectors; ++v) sums[i][v] = V{};
  }
  for (int64_t k = 0; k < depth; ++k, left += S::left_k, right += S::right_k) {
    V columns[S::vectors];
#pragma GCC unroll 2
    for (int64_t v = 0; v < S::vectors; ++v) columns[v] = load_vector(right + v * S::lanes);
#pragma GCC unroll 16
    for (int64_t i = 0; i < S::rows; ++i) {
      const V one = repeated(left[i * S::left_row]);
#pragma GCC unroll 2
      for (int64_t v = 0; v < S::vectors; ++v) sums[i][v] = fma_vector(one, columns[v], sums[i][v]);
    }
  }
#pragma GCC unroll 16
  for (int64_t i = 0; i < S::rows; ++i) {
#pragma GCC unroll 2
    for (int64_t v = 0; v < S::vectors; ++v) {
      auto* at = to + i * S::block_n + v * S::lanes;
      store_vector(at, begins ? sums[i][v] : load_vector(at) + sums[i][v]);
    }
  }
}

/// to[k][line] = rows[line][k] for as many lines as a vector has.
template <class S>
inline void turn(typename S::T* __restrict__ to, const typename S::T* __restrict__ rows, int64_t depth) {
  for (int64_t k = 0; k < depth; ++k, to += S::right_k) {
#pragma GCC unroll 16
    for (int64_t line = 0; line < S::lanes; ++line) to[line] = rows[line * S::pitch(S::block_k) + k];
  }
}

// -- one block --------------------------------------------------------------------------------------------------------

template <class G>
class gemm_block {
public:
  using S = gemm_shape<G>;
  using T = typename G::number;

  /// @param held what lies packed in this thread's memory; -1 at first
  gemm_block(const typename G::tensors& x, T* memory, int64_t* held, int64_t batch, int64_t first_m, int64_t first_n)
      : x_(x),
        held_(held),
        sums_(memory),
        left_(sums_ + S::sums),
        right_(left_ + S::left),
        row_(right_ + S::right),
        batch_(batch),
        m_(first_m),
        n_(first_n),
        rows_(lesser(S::block_m, G::m - first_m)),
        columns_(lesser(S::block_n, G::n - first_n)) {}

  void compute() {
    if (!needs(0, 0, rows_, columns_)) {
      write_zeros();
      return G::end_writes();
    }
    if (G::k == 0) zero(sums_, S::sums);
    for (int64_t k = 0; k < G::k; k += S::block_k) add(k, lesser(S::block_k, G::k - k));
    write();
    G::end_writes();
  }

private:
  /// Whether element i, j of the block is in the triangle.
  bool keeps(int64_t i, int64_t j) const {
    const int64_t diagonal = n_ + j - m_ - i;
    return G::triangle == 0 || (G::triangle > 0 ? diagonal >= G::diagonal : diagonal <= G::diagonal);
  }

  /// Whether any of these is.
  bool needs(int64_t i, int64_t j, int64_t rows, int64_t columns) const {
    return G::triangle > 0 ? keeps(i, j + columns - 1) : keeps(i + rows - 1, j);
  }

  void add(int64_t k, int64_t depth) {
    pack_left(k, depth);
    pack_right(k, depth);
    for (int64_t j = 0; j < columns_; j += S::columns) {
      for (int64_t i = 0; i < rows_; i += S::rows) {
        if (!needs(i, j, S::rows, S::columns)) continue;  // of no use, and never read
        multiply_tile<S>(sums_ + i * S::block_n + j, left_ + i * S::left_row, right_ + j, depth, k == 0);
      }
    }
  }

  void pack_left(int64_t k, int64_t depth) {
    const int64_t lines = S::up(rows_, S::rows);
    if constexpr (G::left_along_k) {
      for (int64_t i = 0; i < rows_; ++i) {
        const int64_t at[] = {batch_, m_ + i, k};
        G::read_left(x_, at, depth, left_ + i * S::left_row);
      }
      for (int64_t i = rows_; i < lines; ++i) zero(left_ + i * S::left_row, depth);
    } else {
      for (int64_t i = 0; i < depth; ++i) {
        const int64_t at[] = {batch_, k + i, m_};
        G::read_left(x_, at, rows_, left_ + i * S::left_k);
        zero(left_ + i * S::left_k + rows_, lines - rows_);
      }
    }
  }

  /// What was packed last stays if it is all of k: blocks of the same columns come one after the other.
  void pack_right(int64_t k, int64_t depth) {
    const int64_t which = batch_ * G::n + n_;
    if (S::block_k == G::k && *held_ == which) return;
    *held_ = which;
    const int64_t lines = S::up(columns_, S::columns);
    if constexpr (G::right_along_k) {
      for (int64_t j = 0; j < lines; j += S::lanes) turn_right(k, depth, j);
    } else {
      for (int64_t i = 0; i < depth; ++i) {
        const int64_t at[] = {batch_, k + i, n_};
        G::read_right(x_, at, columns_, right_ + i * S::right_k);
        zero(right_ + i * S::right_k + columns_, lines - columns_);
      }
    }
  }

  void turn_right(int64_t k, int64_t depth, int64_t j) {
    constexpr int64_t pitch = S::pitch(S::block_k);
    for (int64_t line = 0; line < S::lanes; ++line) {
      const int64_t at[] = {batch_, n_ + j + line, k};
      if (j + line < columns_) {
        G::read_right(x_, at, depth, row_ + line * pitch);
      } else {
        zero(row_ + line * pitch, depth);
      }
    }
    turn<S>(right_ + j, row_, depth);
  }

  static void zero(T* to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = 0;
  }

  void write_zeros() {
    zero(sums_, columns_);
    for (int64_t i = 0; i < rows_; ++i) write_row(i, sums_);
  }

  void write() {
    for (int64_t i = 0; i < rows_; ++i) {
      T* row = sums_ + i * S::block_n;
      finish(row, i);
      for (int64_t j = 0; G::triangle != 0 && j < columns_; ++j) {
        if (!keeps(i, j)) row[j] = 0;
      }
      write_row(i, row);
    }
  }

  /// alpha * sum + beta * added.
  void finish(T* __restrict__ row, [[maybe_unused]] int64_t i) {
    if constexpr (G::adds) {
      const int64_t at[] = {batch_, m_ + i, n_};
      G::read_added(x_, at, columns_, row_);
      const T* __restrict__ added = row_;
#pragma omp simd
      for (int64_t j = 0; j < columns_; ++j) row[j] = fma(G::beta, added[j], G::alpha * row[j]);
    } else if constexpr (G::alpha != 1) {
#pragma omp simd
      for (int64_t j = 0; j < columns_; ++j) row[j] *= G::alpha;
    }
  }

  void write_row(int64_t i, const T* row) {
    const int64_t at[] = {batch_, m_ + i, n_};
    G::write(x_, at, columns_, row);
  }

  const typename G::tensors& x_;
  int64_t* held_;
  T *sums_, *left_, *right_, *row_;
  int64_t batch_, m_, n_, rows_, columns_;
};

template <class G>
inline int run_gemm(const typename G::tensors& x, int threads) {
  using S = gemm_shape<G>;
  constexpr int64_t blocks_m = (G::m + S::block_m - 1) / S::block_m;
  constexpr int64_t blocks_n = (G::n + S::block_n - 1) / S::block_n;
  constexpr int64_t units = G::batch * blocks_m * blocks_n;
  constexpr int64_t header = 64;
  thread_memory memory(threads, header + S::numbers * static_cast<int64_t>(sizeof(typename G::number)));
  if (!memory.there()) return no_memory;
  for (int thread = 0; thread < threads; ++thread) *memory.of<int64_t>(thread) = -1;
  const int64_t run = lesser(blocks_m, units / (4 * threads) + 1);
#pragma omp parallel for schedule(dynamic, run) num_threads(threads)
  for (int64_t unit = 0; unit < units; ++unit) {
    const int64_t m = unit % blocks_m, n = unit / blocks_m % blocks_n;
    auto* mine = memory.of<char>(thread_number());
    auto* numbers = reinterpret_cast<typename G::number*>(mine + header);
    gemm_block<G>(x, numbers, reinterpret_cast<int64_t*>(mine), unit / (blocks_n * blocks_m), m * S::block_m,
                  n * S::block_n)
        .compute();
  }
  return accepted;
}

}  // namespace km
