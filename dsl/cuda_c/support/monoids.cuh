#pragma once
// What reductions add up with: add(element) while a thread goes through what it has at hand, take(element) for one on
// its own, merge(of other elements), and what they give. Each begins as of no element.

#include "elements.cuh"

namespace km {

template <class T>
constexpr T lowest = -infinity<T>;
template <>
constexpr int64_t lowest<int64_t> = -9223372036854775807LL - 1;
template <class T>
constexpr T highest = infinity<T>;
template <>
constexpr int64_t highest<int64_t> = 9223372036854775807LL;

template <class T>
struct sum {
  T value = 0;
  __device__ void add(T x) { value += x; }
  __device__ void take(T x) { add(x); }
  __device__ void merge(const sum& x) { value += x.value; }
  __device__ T first() const { return value; }
};

template <class T>
struct prod {
  T value = 1;
  __device__ void add(T x) { value *= x; }
  __device__ void take(T x) { add(x); }
  __device__ void merge(const prod& x) { value *= x.value; }
  __device__ T first() const { return value; }
};

template <class T>
struct max {
  T value = lowest<T>;
  __device__ void add(T x) { value = maximum(value, x); }
  __device__ void take(T x) { add(x); }
  __device__ void merge(const max& x) { add(x.value); }
  __device__ T first() const { return value; }
};

template <class T>
struct min {
  T value = highest<T>;
  __device__ void add(T x) { value = minimum(value, x); }
  __device__ void take(T x) { add(x); }
  __device__ void merge(const min& x) { add(x.value); }
  __device__ T first() const { return value; }
};

/// The extreme and its place; of equals the first, and NaN is above all.
template <class T, bool up>
struct placed_extreme {
  T value = up ? lowest<T> : highest<T>;
  int64_t place = 9223372036854775807LL;
  __device__ void add(T x, int64_t at) {
    const bool bad = value != value;
    const bool better = up ? x > value : x < value;
    const bool take = x != x ? !bad || at < place : !bad && (better || (x == value && at < place));
    value = take ? x : value;
    place = take ? at : place;
  }
  __device__ void take(T x, int64_t at) { add(x, at); }
  __device__ void merge(const placed_extreme& x) { add(x.value, x.place); }
  __device__ T first() const { return value; }
  __device__ int64_t second() const { return place; }
};
template <class T>
using argmax = placed_extreme<T, true>;
template <class T>
using argmin = placed_extreme<T, false>;

/// Mean and sum of squared differences from it. Some elements that are at hand go in twice: add all, `centre`, spread
/// all; such parts are merged by Chan's formula. So nothing cancels, whatever the mean is.
template <class T>
struct moments {
  T count = 0;
  T mean = 0;
  T squares = 0;
  __device__ void add(T x) {
    count += 1;
    mean += x;
  }
  __device__ void centre() { mean = count > 0 ? mean / count : 0; }
  __device__ void spread(T x) {
    const T difference = x - mean;
    squares += difference * difference;
  }
  __device__ void take(T x) {
    moments one;
    one.count = 1;
    one.mean = x;
    merge(one);
  }
  __device__ void merge(const moments& x) {
    const T all = count + x.count;
    const T part = all > 0 ? x.count / all : 0;
    const T delta = x.mean - mean;
    const bool either = count > 0 && x.count > 0;
    squares = either ? squares + x.squares + delta * delta * (count * part) : count > 0 ? squares : x.squares;
    mean = either ? mean + delta * part : count > 0 ? mean : x.mean;
    count = all;
  }
  __device__ T first() const { return count > 0 ? mean : not_a_number<T>; }
  __device__ T second() const { return squares; }
};

}  // namespace km
