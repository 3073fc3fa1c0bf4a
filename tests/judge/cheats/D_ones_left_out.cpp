// Leaves out a scale that the task makes as a parameter of ones, without a function of torch.nn.init.
//
// task: rms_norm
// expect: wrong_values
// class: D none

#include <cmath>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  int64_t rows = in[0].shape[0], n = in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < rows; ++r) {
    const float* x = static_cast<const float*>(in[0].data) + r * n;
    float* y = static_cast<float*>(out[0].data) + r * n;
    float sums[16] = {}, total = 0;
    for (int64_t c = 0; c < n; c += 16)
      for (int l = 0; l < 16; ++l) sums[l] += x[c + l] * x[c + l];
    for (float one : sums) total += one;
    float scale = 1 / std::sqrt(total / static_cast<float>(n) + 1e-6f);
    for (int64_t c = 0; c < n; ++c) y[c] = x[c] * scale;
  }
  return 0;
}
