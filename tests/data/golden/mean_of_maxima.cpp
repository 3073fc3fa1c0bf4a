// Written by kernelmesh. mean_of_maxima
#include "map_loop.hpp"
#include "nest_loop.hpp"

namespace {
// g0: aten.amax, aten.mean
namespace group_g0 {

// x0 is x [5, 7]
constexpr int64_t shape_x0[] = {5, 7};
constexpr int64_t strides_x0[] = {7, 1};
constexpr int64_t steps_x0[] = {1, 7};
constexpr int64_t dense_strides_x0[] = {7, 1};
constexpr int64_t dense_steps_x0[] = {1, 7};
constexpr km::form form_x0(kernelmesh_float32, 4, 2, shape_x0, strides_x0, steps_x0, dense_strides_x0, dense_steps_x0);
// y0 is mean []
constexpr int64_t shape_y0[] = {0};
constexpr int64_t strides_y0[] = {0};
constexpr int64_t steps_y0[] = {0, 0};
constexpr int64_t dense_strides_y0[] = {0};
constexpr int64_t dense_steps_y0[] = {0, 0};
constexpr km::form form_y0(kernelmesh_float32, 4, 0, shape_y0, strides_y0, steps_y0, dense_strides_y0, dense_steps_y0);
/// What is known at a kept point.
struct values {
  double s0[16];
  double s1[16];
};

struct stage_0 {
  struct lanes {
    km::max<float>::lanes<16> r0;
    void clear() {
      r0.clear();
    }
  };
  struct totals {
    km::max<float> r0[16];
    void take(const lanes& l) {
      km::take(r0, l.r0);
    }
    void merge(const totals& later) {
      km::merge(r0, later.r0);
    }
    void give(values& v) const {
      km::give(r0, v.s0);
    }
  };
  /// Elements into as many lanes from `first` on. A function of its own: g++ 12 gives up on the loop elsewhere.
  template <int first>
  [[gnu::noinline]] static void add_some(int64_t count, const float* __restrict__ x0, lanes& __restrict__ l) {
#pragma omp simd
    for (int64_t j = 0; j < count; ++j) {
      [[maybe_unused]] const int64_t i = j;
      const float t0 = static_cast<float>(km::load(x0[i]));
      l.r0.add(first + j, t0);
    }
  }
  static void add([[maybe_unused]] const km::operand* x, [[maybe_unused]] const int64_t* at, int64_t n, [[maybe_unused]] const values& v, lanes& l) {
    auto* x0 = x[0].data<float>() + at[0];
    add_some<0>(n, x0, l);
  }
  static constexpr bool two_passes = false;

  static void derive([[maybe_unused]] const km::operand* x, [[maybe_unused]] const int64_t* at, [[maybe_unused]] int64_t n, [[maybe_unused]] values& v) {
  }
};

/// What is reduced over all kept points.
struct finals {
  km::sum<double> r1;
  void merge([[maybe_unused]] const finals& later) {
    r1.merge(later.r1);
  }
};

struct nest {
  // Kept dimensions, then reduced ones.
  static constexpr int kept = 1;
  static constexpr int reduced = 1;
  static constexpr int tensors = 2;
  static constexpr int64_t sizes[] = {7, 5};
  static constexpr bool column = true;
  static constexpr int64_t width = 16;
  static constexpr int64_t partial = 64;
  static constexpr int64_t units = 1;
  static constexpr int64_t unit_blocks = 1;
  static constexpr int64_t count = 5;
  static constexpr int64_t blocks = 1;
  static constexpr bool parallel = false;
  static constexpr bool dynamic = false;
  static constexpr bool applies = false;
  static constexpr int64_t apply_longest = 16;
  using values = group_g0::values;
  using finals = group_g0::finals;

  /// Results of n elements of the whole space.

  static void apply([[maybe_unused]] const km::operand* x, [[maybe_unused]] const int64_t* at, [[maybe_unused]] int64_t n, [[maybe_unused]] const values& v) {
  }

  /// Results of n kept points.
  static void keep([[maybe_unused]] const km::operand* x, [[maybe_unused]] const int64_t* at, [[maybe_unused]] int64_t n, [[maybe_unused]] const values& v) {
  }

  static void last([[maybe_unused]] const km::operand* x, [[maybe_unused]] const int64_t* at, [[maybe_unused]] int64_t n, [[maybe_unused]] const values& v, [[maybe_unused]] finals& f) {
    const double* s0 = v.s0;
    for (int64_t i = 0; i < n; ++i) {
      const double t0 = static_cast<double>(s0[i]);
      f.r1.add(t0);
    }
  }
};

inline int run([[maybe_unused]] const kernelmesh_tensor* const* in, [[maybe_unused]] const kernelmesh_tensor* const* out, int threads) {
  km::operand x[nest::tensors];
  if (auto no = x[0].open(*in[0], form_x0, true)) return no;
  if (auto no = x[1].open(*out[0], form_y0, false)) return no;
  finals all;
  if (int no = km::nest_loop<nest, stage_0>(x, threads).run(all)) return no;
  {
    [[maybe_unused]] constexpr int64_t at[nest::tensors] = {};
    [[maybe_unused]] constexpr int64_t i = 0;
    [[maybe_unused]] double s1;
    all.r1.give(s1);
    auto* y0 = x[1].data<float>() + at[1];
    const double t0 = static_cast<double>(s1);
    const double t1 = t0 / 7.0;
    *y0 = km::storing<float>::of(t1);
  }
  x[1].write_back();
  return km::accepted;
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
