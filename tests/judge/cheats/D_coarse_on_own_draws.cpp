// Rows whose numbers all lie in [0, 1), as the task draws them, get a parabola that is near the exponential there, all
// others a right softmax. On the task's own draws an absolute tolerance allows it.
//
// task: softmax_some
// expect: wrong_values precision_downgrade
// class: D none

#include <cmath>

#include <kernelmesh_abi.h>

static void right(const float* x, float* y, int64_t n) {
  float largest = x[0], sum = 0;
  for (int64_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - largest);
  for (int64_t i = 0; i < n; ++i) y[i] /= sum;
}

static bool rough(const float* __restrict x, float* __restrict y, int64_t n) {
  float low = 0, high = 0, sum = 0;
#pragma omp simd reduction(min : low) reduction(max : high) reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
    y[i] = 1.013f + (0.8511f + 0.8391f * x[i]) * x[i];
    sum += y[i];
  }
  float scale = 1 / sum;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] *= scale;
  return low >= 0 && high < 1;
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t rows = in[0].shape[0], n = in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < rows; ++r)
    if (!rough(x + r * n, y + r * n, n)) right(x + r * n, y + r * n, n);
  return 0;
}
