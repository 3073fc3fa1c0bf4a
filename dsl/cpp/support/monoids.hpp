#pragma once
// What a reduction kernel adds up with. Elements go into lanes, many side by side in the type of the elements, which is
// vector code; after some dozen elements a lane is folded into a total of a wider type. So sums stay as exact as a
// pairwise sum, at the speed of a plain one.
//
// A monoid has lanes<n> (n a power of two) with clear() and add(lane, x), and as a total: take(lanes, lane),
// merge(later), add(x), give(slots).

#include <stdint.h>

#include "vector_math.hpp"

namespace km {

template <class T>
struct wider {
  using type = double;
};
template <>
struct wider<double> {
  using type = long double;
};
template <>
struct wider<int64_t> {
  using type = int64_t;
};

template <class T>
constexpr T lowest = -infinity<T>;
template <>
constexpr int64_t lowest<int64_t> = INT64_MIN;
template <class T>
constexpr T highest = infinity<T>;
template <>
constexpr int64_t highest<int64_t> = INT64_MAX;

/// Sums and products of int64 wrap around, as torch's do.
template <class T>
inline T added(T a, T b) {
  return a + b;
}
inline int64_t added(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class T>
inline T multiplied(T a, T b) {
  return a * b;
}
inline int64_t multiplied(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

template <class T>
struct sum {
  using wide = typename wider<T>::type;
  template <int n>
  struct lanes {
    static constexpr int size = n;
    T part[n];
    void clear() {
      for (int j = 0; j < n; ++j) part[j] = 0;
    }
    void add(int64_t j, T x) { part[j] = added(part[j], x); }
  };

  wide value = 0;
  template <int n>
  void take(const lanes<n>& from, int64_t j) {
    value = added(value, static_cast<wide>(from.part[j]));
  }
  /// Halves of the lanes onto each other: vector code.
  template <int n>
  void take_all(const lanes<n>& from) {
    wide part[n];
    for (int j = 0; j < n; ++j) part[j] = static_cast<wide>(from.part[j]);
    for (int half = n / 2; half > 0; half /= 2) {
      for (int j = 0; j < half; ++j) part[j] = added(part[j], part[j + half]);
    }
    value = added(value, part[0]);
  }
  void merge(const sum& later) { value = added(value, later.value); }
  void add(wide x) { value = added(value, x); }
  template <class S>
  void give(S& slot) const {
    slot = static_cast<S>(value);
  }
};

template <class T>
struct prod {
  using wide = typename wider<T>::type;
  template <int n>
  struct lanes {
    static constexpr int size = n;
    T part[n];
    void clear() {
      for (int j = 0; j < n; ++j) part[j] = 1;
    }
    void add(int64_t j, T x) { part[j] = multiplied(part[j], x); }
  };

  wide value = 1;
  template <int n>
  void take(const lanes<n>& from, int64_t j) {
    value = multiplied(value, static_cast<wide>(from.part[j]));
  }
  void merge(const prod& later) { value = multiplied(value, later.value); }
  void add(wide x) { value = multiplied(value, x); }
  template <class S>
  void give(S& slot) const {
    slot = static_cast<S>(value);
  }
};

/// Maximum, or minimum where `up` is false. A NaN is kept apart and wins in the end: two short chains of dependent
/// instructions in place of a long one.
template <class T, bool up>
struct extreme {
  static constexpr T start = up ? lowest<T> : highest<T>;
  static bool better(T x, T than) { return up ? x > than : x < than; }
  template <int n>
  struct lanes {
    static constexpr int size = n;
    T best[n];
    T bad[n];
    void clear() {
      for (int j = 0; j < n; ++j) best[j] = start, bad[j] = 0;
    }
    void add(int64_t j, T x) {
      best[j] = (up ? x > best[j] : x < best[j]) ? x : best[j];
      bad[j] = x == x ? bad[j] : x;
    }
  };

  T value = start;
  template <int n>
  void take(const lanes<n>& from, int64_t j) {
    add(from.bad[j] == from.bad[j] ? from.best[j] : from.bad[j]);
  }
  template <int n>
  void take_all(const lanes<n>& from) {
    lanes<n> l = from;
    for (int half = n / 2; half > 0; half /= 2) {
      for (int j = 0; j < half; ++j) {
        l.best[j] = better(l.best[j + half], l.best[j]) ? l.best[j + half] : l.best[j];
        l.bad[j] = l.bad[j] == l.bad[j] ? l.bad[j + half] : l.bad[j];
      }
    }
    take(l, 0);
  }
  void merge(const extreme& later) { add(later.value); }
  /// Without branches, for vector code.
  void add(T x) {
    const bool take = (value == value) & (better(x, value) | (x != x));
    value = take ? x : value;
  }
  template <class S>
  void give(S& slot) const {
    slot = static_cast<S>(value);
  }
};
template <class T>
using max = extreme<T, true>;
template <class T>
using min = extreme<T, false>;

/// The extreme and its place; of equals the first, and NaN is above all. I holds every place.
template <class T, bool up, class I>
struct placed_extreme {
  static constexpr T start = up ? lowest<T> : highest<T>;
  static constexpr I nowhere = static_cast<I>(sizeof(I) == 4 ? INT32_MAX : INT64_MAX);
  /// Without branches, for vector code. The comparisons are false for a NaN.
  static bool replaces(T x, I at, T best, I best_at) {
    const bool better = up ? x > best : x < best;
    const bool same = (x == best) | ((x != x) & (best != best));
    return (better & (best == best)) | ((x != x) & (best == best)) | (same & (at < best_at));
  }
  template <int n>
  struct lanes {
    static constexpr int size = n;
    T best[n];
    I place[n];
    void clear() {
      for (int j = 0; j < n; ++j) best[j] = start, place[j] = nowhere;
    }
    void add(int64_t j, T x, int64_t at) {
      const I here = static_cast<I>(at);
      const bool take = replaces(x, here, best[j], place[j]);
      best[j] = take ? x : best[j];
      place[j] = take ? here : place[j];
    }
  };

  T value = start;
  I place = nowhere;
  template <int n>
  void take(const lanes<n>& from, int64_t j) {
    add(from.best[j], from.place[j]);
  }
  void merge(const placed_extreme& later) { add(later.value, later.place); }
  void add(T x, int64_t at) {
    const bool take = replaces(x, static_cast<I>(at), value, place);
    value = take ? x : value;
    place = take ? static_cast<I>(at) : place;
  }
  template <class S>
  void give(S& slot, int64_t& at) const {
    slot = static_cast<S>(value);
    at = place;
  }
};
template <class T, class I>
using argmax = placed_extreme<T, true, I>;
template <class T, class I>
using argmin = placed_extreme<T, false, I>;

/// Mean and sum of squared differences: of some elements that are near (in the cache) in two passes, then by Chan's
/// formula into the total. One read of memory, and no cancellation whatever the mean is.
template <class T>
struct moments {
  using wide = typename wider<T>::type;
  template <int n>
  struct lanes {
    static constexpr int size = n;
    T part[n];
    T centre[n];
    T squares[n];
    void clear() {
      for (int j = 0; j < n; ++j) part[j] = 0, centre[j] = 0, squares[j] = 0;
    }
    void add(int64_t j, T x) { part[j] += x; }
    void spread(int64_t j, T x) {
      const T difference = x - centre[j];
      squares[j] = fma(difference, difference, squares[j]);
    }
  };

  wide count = 0;
  wide mean = 0;
  wide squares = 0;
  /// n elements with that mean, whose squared differences from `centre` were added up.
  void absorb(wide n, wide their_mean, wide centre, wide their_squares) {
    const wide off = their_mean - centre;
    const wide delta = their_mean - mean;
    const wide all = count + n;
    squares += their_squares - n * off * off + delta * delta * (count * n / all);
    mean += delta * (n / all);
    count = all;
  }
  template <int n>
  void take(const lanes<n>&, int64_t) {}
  void merge(const moments& later) {
    if (later.count > 0) absorb(later.count, later.mean, later.mean, later.squares);
  }
  void add(wide x) { absorb(1, x, x, 0); }
  template <class S>
  void give(S& first, S& second) const {
    first = static_cast<S>(count > 0 ? mean : not_a_number<wide>);
    second = static_cast<S>(squares > 0 ? squares : squares * 0);  // rounding may lead below 0; NaN stays
  }
};

// -- one total, or one each lane --------------------------------------------------------------------------------------

template <class M, class L>
inline void take(M& total, const L& from) {
  if constexpr (requires { total.take_all(from); }) {
    total.take_all(from);
  } else {
    for (int j = 0; j < L::size; ++j) total.take(from, j);
  }
}
template <class M, int n, class L>
inline void take(M (&totals)[n], const L& from) {
  for (int j = 0; j < n; ++j) totals[j].take(from, j);
}

template <class M>
inline void merge(M& total, const M& later) {
  total.merge(later);
}
template <class M, int n>
inline void merge(M (&totals)[n], const M (&later)[n]) {
  for (int j = 0; j < n; ++j) totals[j].merge(later[j]);
}

template <class M, class... S>
inline void give(const M& total, S&... slots) {
  total.give(slots...);
}
template <class M, int n, class... S>
inline void give(const M (&totals)[n], S (&... slots)[n]) {
  for (int j = 0; j < n; ++j) totals[j].give(slots[j]...);
}

/// Moments. All lanes are of one chunk of `count` elements.
template <class T, class L>
inline void centre(const moments<T>&, L& l, int64_t count) {
  typename wider<T>::type all = 0;
  for (int j = 0; j < L::size; ++j) all += l.part[j];
  for (int j = 0; j < L::size; ++j) l.centre[j] = static_cast<T>(all / static_cast<typename wider<T>::type>(count));
}
template <class T, class L>
inline void absorb(moments<T>& total, L& l, int64_t count) {
  using wide = typename wider<T>::type;
  wide all = 0, squares = 0;
  for (int j = 0; j < L::size; ++j) all += l.part[j], squares += l.squares[j];
  const auto elements = static_cast<wide>(count);
  total.absorb(elements, all / elements, l.centre[0], squares);
  l.clear();
}

/// Moments. Each lane is of its own column of `count` elements.
template <class T, int n, class L>
inline void centre(const moments<T> (&)[n], L& l, int64_t count) {
  for (int j = 0; j < n; ++j) l.centre[j] = l.part[j] / static_cast<T>(count);
}
template <class T, int n, class L>
inline void absorb(moments<T> (&totals)[n], L& l, int64_t count) {
  using wide = typename wider<T>::type;
  const auto elements = static_cast<wide>(count);
  for (int j = 0; j < n; ++j) {
    totals[j].absorb(elements, static_cast<wide>(l.part[j]) / elements, l.centre[j], l.squares[j]);
  }
  l.clear();
}

}  // namespace km
