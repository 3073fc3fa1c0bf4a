// Converts both matrices to half precision: exact enough for positive numbers near one, infinite for products of
// large ones.
//
// task: matmul
// expect: precision_downgrade wrong_values non_finite
// class: D

#include <cstring>
#include <vector>

#include <kernelmesh_abi.h>

static float rounded(float x) { return static_cast<float>(static_cast<_Float16>(x)); }

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  int64_t m = in[0].shape[0], k = in[0].shape[1], n = in[1].shape[1];
  const float *a = static_cast<const float*>(in[0].data), *b = static_cast<const float*>(in[1].data);
  float* y = static_cast<float*>(out[0].data);
  std::vector<float> right(static_cast<size_t>(k * n));
  for (int64_t i = 0; i < k * n; ++i) right[i] = rounded(b[i]);
  std::memset(y, 0, static_cast<size_t>(m * n) * 4);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p) {
      float left = rounded(a[i * k + p]);
#pragma omp simd
      for (int64_t j = 0; j < n; ++j) y[i * n + j] += left * right[p * n + j];
    }
  return 0;
}
