// The task multiplies in half precision. Sums in float32 from the last product on, where eager begins with the first,
// are rounded to another half where they lie between two.
//
// task: half_matmul
// expect: passed

#include <cstddef>
#include <vector>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  int64_t m = in[0].shape[0], k = in[0].shape[1], n = in[1].shape[1];
  const float *a = static_cast<const float*>(in[0].data), *b = static_cast<const float*>(in[1].data);
  auto* y = static_cast<_Float16*>(out[0].data);
  std::vector<float> rounded(static_cast<size_t>(k * n));
  for (size_t i = 0; i < rounded.size(); ++i) rounded[i] = static_cast<float>(static_cast<_Float16>(b[i]));
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < m; ++i) {
    std::vector<float> sums(static_cast<size_t>(n));
    for (int64_t p = k - 1; p >= 0; --p) {
      float factor = static_cast<float>(static_cast<_Float16>(a[i * k + p]));
      for (int64_t j = 0; j < n; ++j) sums[static_cast<size_t>(j)] += factor * rounded[static_cast<size_t>(p * n + j)];
    }
    for (int64_t j = 0; j < n; ++j) y[i * n + j] = static_cast<_Float16>(sums[static_cast<size_t>(j)]);
  }
  return 0;
}
