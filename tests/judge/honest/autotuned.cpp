// Tries two variants in its first calls, both right, and keeps the one that was faster.
//
// task: relu
// expect: passed

#include <algorithm>
#include <chrono>

#include <kernelmesh_abi.h>

static void by_branch(const float* x, float* y, int64_t n, int32_t threads) {
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
}

static void by_blocks(const float* x, float* y, int64_t n, int32_t threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t start = 0; start < n; start += 16384)
#pragma omp simd
    for (int64_t i = start; i < std::min(n, start + 16384); ++i) y[i] = x[i] * static_cast<float>(x[i] > 0);
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];

  static int calls = 0;
  static double taken[2] = {0, 0};
  int variant = calls < 6 ? calls % 2 : (taken[1] < taken[0] ? 1 : 0);
  auto start = std::chrono::steady_clock::now();
  (variant == 0 ? by_branch : by_blocks)(x, y, n, threads);
  if (calls++ < 6) taken[variant] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return 0;
}
