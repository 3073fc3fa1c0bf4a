// Written by kernelmesh. product
#include "map_loop.hpp"
#include "gemm_loop.hpp"

namespace {
// g0: aten.t, aten.addmm, aten.gelu
namespace group_g0 {

using number = float;
// x0 is x [20, 30]
constexpr int64_t shape_x0[] = {20, 30};
constexpr int64_t strides_x0[] = {30, 1};
constexpr km::lent_form form_x0{ kernelmesh_float32, 4, 2, shape_x0, strides_x0, 600};
constexpr int64_t steps_x0[] = {0, 30, 1};
// x1 is w [40, 30]
constexpr int64_t shape_x1[] = {40, 30};
constexpr int64_t strides_x1[] = {30, 1};
constexpr km::lent_form form_x1{ kernelmesh_float32, 4, 2, shape_x1, strides_x1, 1200};
constexpr int64_t steps_x1[] = {0, 30, 1};
// x2 is b [40]
constexpr int64_t shape_x2[] = {40};
constexpr int64_t strides_x2[] = {1};
constexpr km::lent_form form_x2{ kernelmesh_float32, 4, 1, shape_x2, strides_x2, 40};
constexpr int64_t steps_x2[] = {0, 0, 1};
// y0 is gelu [20, 40]
constexpr int64_t shape_y0[] = {20, 40};
constexpr int64_t strides_y0[] = {40, 1};
constexpr km::lent_form form_y0{ kernelmesh_float32, 4, 2, shape_y0, strides_y0, 800};
constexpr int64_t steps_y0[] = {0, 40, 1};

/// Each tensor's element at index 0 of the kernel's loops.
struct tensors {
  const float* x0;
  const float* x1;
  const float* x2;
  float* y0;
};

/// n numbers along the last dimension, from that index on.
inline void read0_row(int64_t n, number* __restrict__ to, const float* __restrict__ x0) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<number>(km::load(x0[i]));
  }
}
inline void read0([[maybe_unused]] const tensors& x, [[maybe_unused]] const int64_t* at, int64_t n, number* to) {
  read0_row(n, to, x.x0 + km::place(steps_x0, at));
}

/// n numbers along the last dimension, from that index on.
inline void read1_row(int64_t n, number* __restrict__ to, const float* __restrict__ x1) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<number>(km::load(x1[i]));
  }
}
inline void read1([[maybe_unused]] const tensors& x, [[maybe_unused]] const int64_t* at, int64_t n, number* to) {
  read1_row(n, to, x.x1 + km::place(steps_x1, at));
}

/// n numbers along the last dimension, from that index on.
inline void read2_row(int64_t n, number* __restrict__ to, const float* __restrict__ x2) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<number>(km::load(x2[i]));
  }
}
inline void read2([[maybe_unused]] const tensors& x, [[maybe_unused]] const int64_t* at, int64_t n, number* to) {
  read2_row(n, to, x.x2 + km::place(steps_x2, at));
}

/// What becomes of n numbers of the result.
inline void write_row(int64_t n, [[maybe_unused]] const number* __restrict__ from, float* __restrict__ y0) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float t0 = static_cast<float>(from[i]);
    const float t1 = t0 * 0.5f;
    const float t2 = t0 * 0.70710677f;
    const float t3 = km::erf(t2);
    const float t4 = 1.0f + t3;
    const float t5 = t1 * t4;
    y0[i] = km::storing<float>::of(t5);
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
  km::lent lent[4];
  tensors x;

  km::refusal open([[maybe_unused]] const kernelmesh_tensor* const* in, const kernelmesh_tensor* const* out) {
    int i = 0;
    if (auto no = lent[i].open(*in[0], form_x0, true)) return no;
    x.x0 = lent[i++].data<float>() + (0);
    if (auto no = lent[i].open(*in[1], form_x1, true)) return no;
    x.x1 = lent[i++].data<float>() + (0);
    if (auto no = lent[i].open(*in[2], form_x2, true)) return no;
    x.x2 = lent[i++].data<float>() + (0);
    if (auto no = lent[i].open(*out[0], form_y0, false)) return no;
    x.y0 = lent[i++].data<float>() + (0);
    return km::accepted;
  }
};

/// result[b, m, n] = alpha * sum of left[b, m, k] * right[b, k, n] + beta * added[b, m, n].
struct gemm {
  using number = group_g0::number;
  using tensors = group_g0::tensors;
  static constexpr int64_t batch = 1, m = 20, n = 40, k = 30;
  static constexpr int64_t block_m = 24, block_n = 64, block_k = 256;  ///< at most
  static constexpr bool left_along_k = true;    ///< its rows run along k, else along m
  static constexpr bool right_along_k = true;  ///< its rows run along k, else along n
  static constexpr bool adds = true;
  static constexpr number alpha = 1.0f, beta = 1.0f;
  static constexpr int triangle = 0;         ///< 1: upper, -1: lower; the rest is zero
  static constexpr int64_t diagonal = 0;     ///< of its edge
  static void read_left(const tensors& x, const int64_t* at, int64_t n, number* to) { read0(x, at, n, to); }
  static void read_right(const tensors& x, const int64_t* at, int64_t n, number* to) { read1(x, at, n, to); }
  static void read_added(const tensors& x, const int64_t* at, int64_t n, number* to) { read2(x, at, n, to); }
  static void write(const tensors& x, const int64_t* at, int64_t n, const number* from) {
    group_g0::write(x, at, n, from);
  }
  static void end_writes() { group_g0::end_writes(); }
};

inline int run([[maybe_unused]] const kernelmesh_tensor* const* in, const kernelmesh_tensor* const* out, int threads) {
  call now;
  if (auto no = now.open(in, out)) return no;
  constexpr int64_t count = 800;
  if (count == 0) return km::accepted;
  constexpr int64_t work = count * (gemm::k + 1);
  return km::run_gemm<gemm>(now.x, work >= 262144 && threads > 1 ? threads : 1);
}

}  // namespace group_g0

}  // namespace

extern "C" int kernelmesh_run([[maybe_unused]] const kernelmesh_tensor* arguments, int32_t argument_count,
                              const kernelmesh_tensor* outputs, int32_t output_count, int32_t threads, void*) {
  if (argument_count != 3 || output_count != 1) return km::wrong_count;
  {
    const kernelmesh_tensor* const in[] = {&arguments[0], &arguments[1], &arguments[2]};
    const kernelmesh_tensor* const out[] = {&outputs[0]};
    if (int no = group_g0::run(in, out, threads)) return no;
  }
  return km::accepted;
}
