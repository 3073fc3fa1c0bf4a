// ReLU of one contiguous float tensor, written by hand: the shape of a whole candidate.
#include "elements.hpp"
#include "kernelmesh_abi.h"

static void relu(int64_t n, const float* __restrict__ x, float* __restrict__ y) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = km::maximum(x[i], 0.0f);
}

static bool is_contiguous(const kernelmesh_tensor& x) {
  int64_t next = 1;
  for (int32_t i = x.rank; i-- > 0; next *= x.shape[i])
    if (x.shape[i] != 1 && x.strides[i] != next) return false;
  return true;
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* arguments, int32_t argument_count,
                              const kernelmesh_tensor* outputs, int32_t output_count, int32_t threads, void*) {
  if (argument_count != 1 || output_count != 1) return 1;
  const auto& x = arguments[0];
  const auto& y = outputs[0];
  if (x.dtype != kernelmesh_float32 || !is_contiguous(x) || !is_contiguous(y)) return 2;
  int64_t count = 1;
  for (int32_t i = 0; i < x.rank; ++i) count *= x.shape[i];
  constexpr int64_t block = 65536;
#pragma omp parallel for schedule(static) num_threads(threads > 1 ? threads : 1)
  for (int64_t begin = 0; begin < count; begin += block) {
    const int64_t n = count - begin < block ? count - begin : block;
    relu(n, static_cast<const float*>(x.data) + begin, static_cast<float*>(y.data) + begin);
  }
  return 0;
}
