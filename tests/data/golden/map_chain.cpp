// Written by kernelmesh. chain
#include "map_loop.hpp"


namespace {
// g0: aten.mul, aten.add, aten.relu
namespace group_g0 {

constexpr int rank = 3;
constexpr int tensors = 3;
constexpr int64_t sizes[] = {2, 3, 4};
constexpr int64_t count = 24;
constexpr int64_t row = sizes[rank - 1];
// x0 is x [2, 3, 4]
constexpr int64_t shape_x0[] = {2, 3, 4};
constexpr int64_t strides_x0[] = {12, 4, 1};
constexpr int64_t steps_x0[] = {12, 4, 1};
constexpr int64_t dense_strides_x0[] = {12, 4, 1};
constexpr int64_t dense_steps_x0[] = {12, 4, 1};
constexpr km::form form_x0(kernelmesh_float32, 4, 3, shape_x0, strides_x0, steps_x0, dense_strides_x0, dense_steps_x0);
// x1 is scale [3, 1]
constexpr int64_t shape_x1[] = {3, 1};
constexpr int64_t strides_x1[] = {1, 1};
constexpr int64_t steps_x1[] = {0, 1, 0};
constexpr int64_t dense_strides_x1[] = {1, 0};
constexpr int64_t dense_steps_x1[] = {0, 1, 0};
constexpr km::form form_x1(kernelmesh_float32, 4, 2, shape_x1, strides_x1, steps_x1, dense_strides_x1, dense_steps_x1);
// y0 is relu [2, 3, 4]
constexpr int64_t shape_y0[] = {2, 3, 4};
constexpr int64_t strides_y0[] = {12, 4, 1};
constexpr int64_t steps_y0[] = {12, 4, 1};
constexpr int64_t dense_strides_y0[] = {12, 4, 1};
constexpr int64_t dense_steps_y0[] = {12, 4, 1};
constexpr km::form form_y0(kernelmesh_float32, 4, 3, shape_y0, strides_y0, steps_y0, dense_strides_y0, dense_steps_y0);
/// n elements of one row.
inline void compute(int64_t n, const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float t0 = static_cast<float>(km::load(x0[i]));
    const float t1 = static_cast<float>(km::load(*x1));
    const float t2 = t0 * t1;
    const float t3 = t2 + 1.0f;
    const float t4 = km::at_least(t3, 0.0f);
    y0[i] = km::storing<float>::of(t4);
  }
}

/// Elements [begin, end) of the loop over all dimensions.
inline void compute_range(const km::operand* x, int64_t begin, int64_t end) {
  km::row_walk<rank, tensors> at{sizes, x, begin / row};
  int64_t within = begin % row;
  while (begin < end) {
    const int64_t n = km::lesser(row - within, end - begin);
    auto* x0 = x[0].data<float>() + at.offsets[0] + within;
    auto* x1 = x[1].data<float>() + at.offsets[1];
    auto* y0 = x[2].data<float>() + at.offsets[2] + within;
    compute(n, x0, x1, y0);
    begin += n;
    within += n;
    if (within == row) {
      within = 0;
      at.next();
    }
  }
}

inline int run([[maybe_unused]] const kernelmesh_tensor* const* in, const kernelmesh_tensor* const* out, int threads) {
  km::operand x[tensors];
  if (auto no = x[0].open(*in[0], form_x0, true)) return no;
  if (auto no = x[1].open(*in[1], form_x1, true)) return no;
  if (auto no = x[2].open(*out[0], form_y0, false)) return no;
  if (count == 0) return km::accepted;
  constexpr int64_t block = 65536;
  constexpr int64_t blocks = (count + block - 1) / block;
#pragma omp parallel for schedule(static) num_threads(threads > 1 ? threads : 1) if (threads > 1 && count >= 32768)
  for (int64_t i = 0; i < blocks; ++i) compute_range(x, i * block, km::lesser((i + 1) * block, count));
  x[2].write_back();
  return km::accepted;
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
