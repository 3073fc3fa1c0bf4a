// Written by kernelmesh. scan
#include "map_loop.hpp"
#include "scan_loop.hpp"

namespace {
// g0: aten.flip, aten.cumsum, aten.flip, aten.sub
namespace group_g0 {

using number = double;
// x0 is x [3, 100]
constexpr int64_t shape_x0[] = {3, 100};
constexpr int64_t strides_x0[] = {100, 1};
constexpr km::lent_form form_x0{ kernelmesh_float32, 4, 2, shape_x0, strides_x0, 300};
constexpr int64_t steps_x0[] = {100, -1};
// y0 is less [3, 100]
constexpr int64_t shape_y0[] = {3, 100};
constexpr int64_t strides_y0[] = {100, 1};
constexpr km::lent_form form_y0{ kernelmesh_float32, 4, 2, shape_y0, strides_y0, 300};
constexpr int64_t steps_y0[] = {100, -1};

/// Each tensor's element at index 0 of the kernel's loops.
struct tensors {
  const float* x0;
  float* y0;
};

/// n numbers along the last dimension, from that index on.
inline void read0_row(int64_t n, number* __restrict__ to, const float* __restrict__ x0) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<number>(km::load(x0[i * -1]));
  }
}
inline void read0([[maybe_unused]] const tensors& x, [[maybe_unused]] const int64_t* at, int64_t n, number* to) {
  read0_row(n, to, x.x0 + km::place(steps_x0, at));
}

/// What becomes of n numbers of the result.
inline void write_row(int64_t n, [[maybe_unused]] const number* __restrict__ from, float* __restrict__ y0) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float t0 = static_cast<float>(from[i]);
    const float t1 = t0 - 1.0f;
    y0[i * -1] = km::storing<float>::of(t1);
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
  km::lent lent[2];
  tensors x;

  km::refusal open([[maybe_unused]] const kernelmesh_tensor* const* in, const kernelmesh_tensor* const* out) {
    int i = 0;
    if (auto no = lent[i].open(*in[0], form_x0, true)) return no;
    x.x0 = lent[i++].data<float>() + (99);
    if (auto no = lent[i].open(*out[0], form_y0, false)) return no;
    x.y0 = lent[i++].data<float>() + (99);
    return km::accepted;
  }
};

struct scan {
  using number = group_g0::number;
  using tensors = group_g0::tensors;
  using monoid = km::scanning::sum;
  static constexpr int outer_rank = 1;
  static constexpr int64_t outer[] = {3};
  static constexpr int64_t length = 100;     ///< elements that are scanned
  static constexpr int64_t width = 1;       ///< columns side by side
  static constexpr int64_t exclusive = 0;  ///< results are so much longer, with a neutral element in front
  static constexpr int64_t tile = 512;
  static void read(const tensors& x, const int64_t* at, int64_t n, number* to) { read0(x, at, n, to); }
  static void write(const tensors& x, const int64_t* at, int64_t n, const number* from) {
    group_g0::write(x, at, n, from);
  }
  static void end_writes() { group_g0::end_writes(); }
};

inline int run([[maybe_unused]] const kernelmesh_tensor* const* in, const kernelmesh_tensor* const* out, int threads) {
  call now;
  if (auto no = now.open(in, out)) return no;
  constexpr int64_t count = 300;
  if (count == 0) return km::accepted;
  return km::scan_rows<scan>(now.x, count >= 32768 && threads > 1 ? threads : 1);
}

}  // namespace group_g0

}  // namespace

extern "C" int kernelmesh_run([[maybe_unused]] const kernelmesh_tensor* arguments, int32_t argument_count,
                              const kernelmesh_tensor* outputs, int32_t output_count, int32_t threads, void*) {
  if (argument_count != 1 || output_count != 1) return km::wrong_count;
  {
    const kernelmesh_tensor* const in[] = {&arguments[0]};
    const kernelmesh_tensor* const out[] = {&outputs[0]};
    if (int no = group_g0::run(in, out, threads)) return no;
  }
  return km::accepted;
}
