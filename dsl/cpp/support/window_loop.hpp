#pragma once
// Windows over the rows of a tensor [outer, channel, depth, height, width]: which input rows an output row needs, and
// those rows as numbers with padding at both ends.

#include "lent.hpp"

namespace km {

/// One dimension: output o reads input o * stride - padding + k * dilation for k below size, where that is inside.
struct window_axis {
  int64_t size, stride, padding, dilation, input, output;

  constexpr int64_t begin(int64_t o) const { return o * stride - padding; }
  constexpr int64_t reach() const { return (size - 1) * dilation + 1; }
  constexpr bool inside(int64_t i) const { return i >= 0 && i < input; }
};

constexpr int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/// Columns [first, first + count) of the output.
struct window_tile {
  int64_t first, count;
};

/// The input rows of one depth of outputs of one channel, as numbers, each from the first column that the tile needs;
/// what lies outside is `padding`. Rows that several output rows need are read once. `by_phase`: column c of a row lies
/// at c / stride of the part c % stride, so that a tap's columns are side by side.
template <class G>
class window_rows {
public:
  using number = typename G::number;
  static constexpr int64_t span = (G::tile - 1) * G::width.stride + G::width.reach();  ///< columns a full tile needs
  static constexpr int64_t phases = G::by_phase ? G::width.stride : 1;
  static constexpr int64_t phase_pitch = ((span + phases - 1) / phases + 15) / 16 * 16;
  static constexpr int64_t pitch = phases * phase_pitch;
  static constexpr int64_t kept = G::height.reach();  ///< rows of a depth in memory
  static constexpr int64_t numbers = G::direct ? 0 : (G::depth.size * kept + (phases > 1 ? 1 : 0)) * pitch;

  window_rows(const typename G::tensors& x, int64_t outer, int64_t channel, window_tile tile, number* memory)
      : x_(x), memory_(memory), tile_(tile), at_{outer, channel, 0, 0, 0} {
    first_ = G::width.begin(tile.first);
    needed_ = (tile.count - 1) * G::width.stride + G::width.reach();
    at_[4] = greater(first_, 0);
    inside_ = greater(lesser(first_ + needed_, G::width.input) - at_[4], 0);
  }

  /// Another depth of the output: nothing that was read holds.
  void move_to(int64_t depth) {
    depth_ = G::depth.begin(depth);
    read_to_ = -1;
  }

  /// Reads what output row `row` needs.
  void prepare(int64_t row) {
    if constexpr (!G::direct) {
      const int64_t begin = G::height.begin(row);
      const int64_t from = greater(greater(begin, read_to_), 0);
      const int64_t to = lesser(begin + G::height.reach(), G::height.input);
      for (int64_t k = 0; k < G::depth.size; ++k) {
        if (!G::depth.inside(depth_ + k * G::depth.dilation)) continue;
        for (int64_t h = from; h < to; ++h) read(k, h);
      }
      read_to_ = greater(read_to_, to);
    }
  }

  /// Column `first` of the input row for these taps, prepared before; null where it is padding.
  const number* row(int64_t output_row, int64_t depth_tap, int64_t height_tap) {
    const int64_t d = depth_ + depth_tap * G::depth.dilation;
    const int64_t h = G::height.begin(output_row) + height_tap * G::height.dilation;
    if (!G::depth.inside(d) || !G::height.inside(h)) return nullptr;
    if constexpr (G::direct) {
      at_[2] = d, at_[3] = h;
      return G::row(x_, at_) - (at_[4] - first_);
    } else {
      return place(depth_tap, h);
    }
  }

  int64_t needed() const { return needed_; }        ///< columns of a row
  int64_t head() const { return at_[4] - first_; }  ///< of these, padding at the begin
  int64_t inside() const { return inside_; }        ///< and columns of the tensor
  window_tile tile() const { return tile_; }

private:
  number* place(int64_t depth_tap, int64_t h) const { return memory_ + (depth_tap * kept + h % kept) * pitch; }

  void read(int64_t depth_tap, int64_t h) {
    number* to = phases > 1 ? memory_ + G::depth.size * kept * pitch : place(depth_tap, h);
    at_[2] = depth_ + depth_tap * G::depth.dilation, at_[3] = h;
    const int64_t before = lesser(head(), needed_);
    for (int64_t i = 0; i < before; ++i) to[i] = G::padding;
    if (inside_ > 0) G::read(x_, at_, inside_, to + before);
    for (int64_t i = before + inside_; i < needed_; ++i) to[i] = G::padding;
    if constexpr (phases > 1) part(place(depth_tap, h), to);
  }

  void part(number* __restrict__ to, const number* __restrict__ row) const {
    for (int64_t phase = 0; phase < phases; ++phase, to += phase_pitch) {
      const int64_t n = (needed_ - phase + phases - 1) / phases;
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) to[i] = row[i * phases + phase];
    }
  }

  const typename G::tensors& x_;
  number* memory_;
  window_tile tile_;
  int64_t at_[5];
  int64_t first_ = 0, needed_ = 0, inside_ = 0, depth_ = 0, read_to_ = -1;
};

/// Calls compute(outer, channel, depth, first row, rows, tile, memory of this thread) for all of the output.
template <class G, class F>
inline int each_window_block(int threads, int64_t bytes_a_thread, const F& compute) {
  constexpr int64_t row_blocks = (G::height.output + G::rows - 1) / G::rows;
  constexpr int64_t tiles = (G::width.output + G::tile - 1) / G::tile;
  constexpr int64_t units = G::outer * G::channels * G::depth.output * row_blocks * tiles;
  thread_memory memory(threads, bytes_a_thread);
  if (!memory.there()) return no_memory;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t unit = 0; unit < units; ++unit) {
    constexpr int64_t sizes[] = {G::outer, G::channels, G::depth.output, row_blocks, tiles};
    int64_t at[5];
    split_index(unit, sizes, 5, at);
    const int64_t row = at[3] * G::rows, column = at[4] * G::tile;
    const window_tile tile{column, lesser(G::tile, G::width.output - column)};
    compute(at, row, lesser(G::rows, G::height.output - row), tile, memory.of<char>(thread_number()));
    G::end_writes();
  }
  return accepted;
}

}  // namespace km
