// Sums of 64 products, added in another order than eager's.
//
// task: matmul
// expect: passed
// precision: fp32

#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  int64_t m = in[0].shape[0], k = in[0].shape[1], n = in[1].shape[1];
  const float *a = static_cast<const float*>(in[0].data), *b = static_cast<const float*>(in[1].data);
  float* y = static_cast<float*>(out[0].data);

  std::memset(y, 0, static_cast<size_t>(m * n) * 4);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < m; ++i)
    for (int64_t block = k - 64; block >= 0; block -= 64) {
      float sums[256] = {};
      for (int64_t p = block; p < block + 64; ++p)
#pragma omp simd
        for (int64_t j = 0; j < n; ++j) sums[j] += a[i * k + p] * b[p * n + j];
      for (int64_t j = 0; j < n; ++j) y[i * n + j] += sums[j];
    }
  return 0;
}
