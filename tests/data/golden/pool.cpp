// Written by kernelmesh. pool
#include "map_loop.hpp"
#include "pool_loop.hpp"

namespace {
// g0: aten.mul, aten.max_pool2d_with_indices, aten.relu
namespace group_g0 {

using number = float;
// x0 is x [2, 3, 8, 9]
constexpr int64_t shape_x0[] = {2, 3, 8, 9};
constexpr int64_t strides_x0[] = {216, 72, 9, 1};
constexpr km::lent_form form_x0{ kernelmesh_float32, 4, 4, shape_x0, strides_x0, 432};
constexpr int64_t steps_x0[] = {216, 72, 72, 9, 1};
// x1 is scale [3, 1, 1]
constexpr int64_t shape_x1[] = {3, 1, 1};
constexpr int64_t strides_x1[] = {1, 1, 1};
constexpr km::lent_form form_x1{ kernelmesh_float32, 4, 3, shape_x1, strides_x1, 3};
constexpr int64_t steps_x1[] = {0, 1, 0, 0, 0};
// y0 is relu [2, 3, 4, 5]
constexpr int64_t shape_y0[] = {2, 3, 4, 5};
constexpr int64_t strides_y0[] = {60, 20, 5, 1};
constexpr km::lent_form form_y0{ kernelmesh_float32, 4, 4, shape_y0, strides_y0, 120};
constexpr int64_t steps_y0[] = {60, 20, 20, 5, 1};

/// Each tensor's element at index 0 of the kernel's loops.
struct tensors {
  const float* x0;
  const float* x1;
  float* y0;
};

/// n numbers along the last dimension, from that index on.
inline void read0_row(int64_t n, number* __restrict__ to, const float* __restrict__ x0, const float* __restrict__ x1) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float t0 = static_cast<float>(km::load(x0[i]));
    const float t1 = static_cast<float>(km::load(*x1));
    const float t2 = t0 * t1;
    to[i] = static_cast<number>(t2);
  }
}
inline void read0([[maybe_unused]] const tensors& x, [[maybe_unused]] const int64_t* at, int64_t n, number* to) {
  read0_row(n, to, x.x0 + km::place(steps_x0, at), x.x1 + km::place(steps_x1, at));
}

/// What becomes of n numbers of the result.
inline void write_row(int64_t n, [[maybe_unused]] const number* __restrict__ from, float* __restrict__ y0) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float t0 = static_cast<float>(from[i]);
    const float t1 = km::at_least(t0, 0.0f);
    y0[i] = km::storing<float>::of(t1);
  }
}
inline void write(const tensors& x, [[maybe_unused]] const int64_t* at, int64_t n, const number* from) {


  write_row(n, from, x.y0 + km::place(steps_y0, at));

}

/// After the last write of a thread.
inline void end_writes() {

}

/// Tensors during a call.
struct call {
  km::lent lent[3];
  tensors x;

  km::refusal open([[maybe_unused]] const kernelmesh_tensor* const* in, const kernelmesh_tensor* const* out) {
    int i = 0;
    if (auto no = lent[i].open(*in[0], form_x0, true)) return no;
    x.x0 = lent[i++].data<float>() + (0);
    if (auto no = lent[i].open(*in[1], form_x1, true)) return no;
    x.x1 = lent[i++].data<float>() + (0);
    if (auto no = lent[i].open(*out[0], form_y0, false)) return no;
    x.y0 = lent[i++].data<float>() + (0);
    return km::accepted;
  }
};

/// A tensor [outer, channels, depth, height, width].
struct pool {
  using number = group_g0::number;
  using tensors = group_g0::tensors;
  using monoid = km::pool_max;
  static constexpr int64_t outer = 2;
  static constexpr int64_t channels = 3;
  // size, stride, padding, dilation, input, output
  static constexpr km::window_axis depth{1, 1, 0, 1, 1, 1};
  static constexpr km::window_axis height{3, 2, 1, 1, 8, 4};
  static constexpr km::window_axis width{3, 2, 1, 1, 9, 5};
  static constexpr number padding = monoid::neutral<number>;
  static constexpr bool counts_padding = true;
  static constexpr int64_t divisor = 0;  ///< 0: the number of elements
  static constexpr int64_t tile = 5;        ///< columns of the output
  static constexpr int64_t rows = 32;        ///< of the output, that a thread computes in one go
  static constexpr bool by_phase = false;
  static constexpr bool direct = false;       ///< input rows are numbers as they are

  static void read(const tensors& x, const int64_t* at, int64_t n, number* to) { read0(x, at, n, to); }
  static void write(const tensors& x, const int64_t* at, int64_t n, const number* from) {
    group_g0::write(x, at, n, from);
  }
  static void end_writes() { group_g0::end_writes(); }
};

inline int run([[maybe_unused]] const kernelmesh_tensor* const* in, const kernelmesh_tensor* const* out, int threads) {
  call now;
  if (auto no = now.open(in, out)) return no;
  constexpr int64_t count = 120;
  if (count == 0) return km::accepted;
  return km::run_pool<pool>(now.x, count >= 32768 && threads > 1 ? threads : 1);
}

}  // namespace group_g0

}  // namespace

extern "C" int kernelmesh_run([[maybe_unused]] const kernelmesh_tensor* arguments, int32_t argument_count,
                              const kernelmesh_tensor* outputs, int32_t output_count, int32_t threads, void*) {
  if (argument_count != 2 || output_count != 1) return km::wrong_count;
  {
    const kernelmesh_tensor* const in[] = {&arguments[0], &arguments[1]};
    const kernelmesh_tensor* const out[] = {&outputs[0]};
    if (int no = group_g0::run(in, out, threads)) return no;
  }
  return km::accepted;
}
