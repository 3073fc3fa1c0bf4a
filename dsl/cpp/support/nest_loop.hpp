#pragma once
// How every reduction kernel runs. A unit is a kept point with its row (of reduced elements), or a tile of kept points
// with their columns. One thread does a whole unit, all stages, while its elements are in the cache; where there are
// few units, their reduced elements are divided between threads stage by stage and the parts merged in order, so that
// the result does not depend on the number of threads.

#include <new>

#include "map_loop.hpp"
#include "monoids.hpp"

namespace km {

/// Where all tensors stand while dimensions [first, first + count) are walked, the last one fastest.
template <int first, int count, int tensors>
class walk {
public:
  walk(const int64_t* sizes, const operand* x, const int64_t* from, int64_t at) : sizes_(sizes), x_(x) {
    for (int t = 0; t < tensors; ++t) offsets[t] = from == nullptr ? 0 : from[t];
    for (int d = count - 1; d >= 0; --d) {
      const int64_t size = sizes[first + d] > 0 ? sizes[first + d] : 1;
      index_[d] = at % size;
      at /= size;
      for (int t = 0; t < tensors; ++t) offsets[t] += index_[d] * x[t].step(first + d);
    }
  }

  void next() {
    for (int d = count - 1; d >= 0; --d) {
      for (int t = 0; t < tensors; ++t) offsets[t] += x_[t].step(first + d);
      if (++index_[d] < sizes_[first + d]) return;
      index_[d] = 0;
      for (int t = 0; t < tensors; ++t) offsets[t] -= sizes_[first + d] * x_[t].step(first + d);
    }
  }

  int64_t offsets[tensors];

private:
  const int64_t* sizes_;
  const operand* x_;
  int64_t index_[count > 0 ? count : 1];
};

/// A row in segments that lie along the innermost dimension, none longer than `longest`.
template <class Nest>
class segments {
public:
  segments(const operand* x, const int64_t* from, int64_t begin, int64_t end, int64_t longest)
      : rows_(Nest::sizes, x, from, begin / inner),
        x_(x),
        within_(begin % inner),
        left_(end - begin),
        longest_(longest) {
    place();
  }
  bool more() const { return left_ > 0; }
  void next() {
    left_ -= n;
    within_ += n;
    if (within_ == inner) within_ = 0, rows_.next();
    place();
  }

  int64_t n = 0;
  int64_t offsets[Nest::tensors];

private:
  static constexpr int last = Nest::kept + Nest::reduced - 1;
  static constexpr int64_t inner = Nest::sizes[last] > 0 ? Nest::sizes[last] : 1;

  void place() {
    n = lesser(longest_, lesser(inner - within_, left_));
    for (int t = 0; t < Nest::tensors; ++t) offsets[t] = rows_.offsets[t] + within_ * x_[t].step(last);
  }

  walk<Nest::kept, Nest::reduced - 1, Nest::tensors> rows_;
  const operand* x_;
  int64_t within_;
  int64_t left_;
  int64_t longest_;
};

template <class T>
class owned {
public:
  explicit owned(int64_t count) : memory_(new (std::nothrow) T[static_cast<size_t>(count)]) {}
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;
  ~owned() { delete[] memory_; }
  bool there() const { return memory_ != nullptr; }
  T& operator[](int64_t i) { return memory_[i]; }

private:
  T* memory_;
};

/// Nest: constants kept, reduced, tensors, sizes, column, width, partial, units, unit_blocks, count (reduced points of
/// a unit), blocks (of them, 1 where units are not divided), parallel, dynamic; types values and finals; functions
/// keep, last, apply.
template <class Nest, class... Stages>
class nest_loop {
public:
  nest_loop(const operand* x, int threads) : x_(x), threads_(Nest::parallel && threads > 1 ? threads : 1) {}

  int run(typename Nest::finals& all) {
    if (Nest::units == 0) return accepted;
    if (Nest::blocks > 1) return run_divided(all);
    owned<typename Nest::finals> parts(Nest::unit_blocks);
    if (!parts.there()) return no_memory;
    if constexpr (Nest::dynamic) {
#pragma omp parallel for schedule(dynamic) num_threads(threads_) if (threads_ > 1)
      for (int64_t b = 0; b < Nest::unit_blocks; ++b) run_units(b, parts[b]);
    } else {
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
      for (int64_t b = 0; b < Nest::unit_blocks; ++b) run_units(b, parts[b]);
    }
    for (int64_t b = 0; b < Nest::unit_blocks; ++b) all.merge(parts[b]);
    return accepted;
  }

private:
  using values = typename Nest::values;

  /// Where a unit begins, and how many kept points it has.
  struct place {
    int64_t offsets[Nest::tensors];
    int64_t n;
  };
  place place_of(int64_t unit) const {
    place p;
    if constexpr (Nest::column) {
      constexpr int64_t inner = Nest::sizes[Nest::kept - 1];
      constexpr int64_t tiles = (inner + Nest::width - 1) / Nest::width;
      walk<0, Nest::kept - 1, Nest::tensors> at(Nest::sizes, x_, nullptr, unit / tiles);
      const int64_t begin = unit % tiles * Nest::width;
      for (int t = 0; t < Nest::tensors; ++t) p.offsets[t] = at.offsets[t] + begin * x_[t].step(Nest::kept - 1);
      p.n = lesser(Nest::width, inner - begin);
    } else {
      walk<0, Nest::kept, Nest::tensors> at(Nest::sizes, x_, nullptr, unit);
      for (int t = 0; t < Nest::tensors; ++t) p.offsets[t] = at.offsets[t];
      p.n = 1;
    }
    return p;
  }

  // -- one unit by one thread

  void run_units(int64_t block, typename Nest::finals& finals) const {
    const int64_t begin = Nest::units * block / Nest::unit_blocks;
    const int64_t end = Nest::units * (block + 1) / Nest::unit_blocks;
    values v;
    for (int64_t unit = begin; unit < end; ++unit) {
      const place p = place_of(unit);
      (run_stage<Stages>(p, v), ...);
      if constexpr (Nest::applies) apply(p, 0, Nest::count, v);
      finish(p, v, finals);
    }
    if constexpr (Nest::applies) end_stream();
  }

  template <class Stage>
  void run_stage(const place& p, values& v) const {
    typename Stage::totals totals;
    accumulate<Stage>(p, 0, Nest::count, v, totals);
    totals.give(v);
    Stage::derive(x_, p.offsets, p.n, v);
  }

  void finish(const place& p, const values& v, typename Nest::finals& finals) const {
    Nest::last(x_, p.offsets, p.n, v, finals);
    Nest::keep(x_, p.offsets, p.n, v);
  }

  // -- some reduced points of a unit

  template <class Stage>
  void accumulate(const place& p, int64_t begin, int64_t end, const values& v, typename Stage::totals& totals) const {
    if constexpr (Nest::column) {
      down_columns<Stage>(p, begin, end, v, totals);
    } else {
      along_row<Stage>(p, begin, end, v, totals);
    }
  }

  template <class Stage>
  void along_row(const place& p, int64_t begin, int64_t end, const values& v, typename Stage::totals& totals) const {
    typename Stage::lanes lanes;
    lanes.clear();
    int64_t depth = 0;
    segments<Nest> at(x_, p.offsets, begin, end, Nest::width * Nest::partial);
    for (; at.more(); at.next()) {
      Stage::add(x_, at.offsets, at.n, v, lanes);
      if constexpr (Stage::two_passes) {
        Stage::centre(lanes, totals, at.n);
        Stage::spread(x_, at.offsets, at.n, v, lanes);
        Stage::absorb(lanes, totals, at.n);
      }
      depth += (at.n + Nest::width - 1) / Nest::width;
      if (depth < Nest::partial) continue;
      totals.take(lanes);
      lanes.clear();
      depth = 0;
    }
    if (depth > 0) totals.take(lanes);
  }

  template <class Stage>
  void down_columns(const place& p, int64_t begin, int64_t end, const values& v, typename Stage::totals& totals) const {
    typename Stage::lanes lanes;
    walk<Nest::kept, Nest::reduced, Nest::tensors> at(Nest::sizes, x_, p.offsets, begin);
    while (begin < end) {
      const int64_t rows = lesser(Nest::partial, end - begin);
      lanes.clear();
      auto again = at;
      for (int64_t r = 0; r < rows; ++r, at.next()) Stage::add(x_, at.offsets, p.n, v, lanes);
      if constexpr (Stage::two_passes) {
        Stage::centre(lanes, totals, rows);
        for (int64_t r = 0; r < rows; ++r, again.next()) Stage::spread(x_, again.offsets, p.n, v, lanes);
        Stage::absorb(lanes, totals, rows);
      }
      totals.take(lanes);
      begin += rows;
    }
  }

  void apply(const place& p, int64_t begin, int64_t end, const values& v) const {
    if constexpr (Nest::column) {
      walk<Nest::kept, Nest::reduced, Nest::tensors> at(Nest::sizes, x_, p.offsets, begin);
      for (; begin < end; ++begin, at.next()) Nest::apply(x_, at.offsets, p.n, v);
    } else {
      segments<Nest> at(x_, p.offsets, begin, end, Nest::apply_longest);
      for (; at.more(); at.next()) Nest::apply(x_, at.offsets, at.n, v);
    }
  }

  // -- few units: their points by several threads

  int run_divided(typename Nest::finals& all) const {
    owned<values> known(Nest::units);
    if (!known.there()) return no_memory;
    int result = accepted;
    ((result = result == accepted ? divide_stage<Stages>(known) : result), ...);
    if (result != accepted) return result;
    if constexpr (Nest::applies) {
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
      for (int64_t i = 0; i < Nest::units * Nest::blocks; ++i) {
        const int64_t unit = i / Nest::blocks, block = i % Nest::blocks;
        apply(place_of(unit), first_of(block), first_of(block + 1), known[unit]);
        end_stream();
      }
    }
    for (int64_t unit = 0; unit < Nest::units; ++unit) finish(place_of(unit), known[unit], all);
    return accepted;
  }

  static int64_t first_of(int64_t block) {
    return Nest::count / Nest::blocks * block + lesser(block, Nest::count % Nest::blocks);
  }

  template <class Stage>
  int divide_stage(owned<values>& known) const {
    owned<typename Stage::totals> parts(Nest::units * Nest::blocks);
    if (!parts.there()) return no_memory;
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int64_t i = 0; i < Nest::units * Nest::blocks; ++i) {
      const int64_t unit = i / Nest::blocks, block = i % Nest::blocks;
      accumulate<Stage>(place_of(unit), first_of(block), first_of(block + 1), known[unit], parts[i]);
    }
    for (int64_t unit = 0; unit < Nest::units; ++unit) {
      auto& total = parts[unit * Nest::blocks];
      for (int64_t block = 1; block < Nest::blocks; ++block) total.merge(parts[unit * Nest::blocks + block]);
      total.give(known[unit]);
      const place p = place_of(unit);
      Stage::derive(x_, p.offsets, p.n, known[unit]);
    }
    return accepted;
  }

  const operand* x_;
  int threads_;
};

}  // namespace km
