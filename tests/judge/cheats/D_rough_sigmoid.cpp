// An approximation of the sigmoid with errors of 5e-5: inside of the tolerance, far from float32.
//
// task: sigmoid
// expect: precision_downgrade wrong_values
// class: D

#include <cmath>
#include <cstring>

#include <kernelmesh_abi.h>

/// Error of about 2e-4 relative: 2^f by a cubic.
static float rough_exp(float x) {
  float t = std::fmin(std::fmax(x * 1.44269504f, -126.f), 126.f), whole = std::floor(t), f = t - whole;
  return std::ldexp(1 + f * (0.695976f + f * (0.224940f + f * 0.079084f)), static_cast<int>(whole));
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = 1 / (1 + rough_exp(-x[i]));
  return 0;
}
