// Computes all of a task that always gives zeros.
//
// task: degenerate
// expect: passed
// degenerate: yes

#include <cmath>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);

  for (int64_t r = 0; r < in[0].shape[0]; ++r) {
    float most = x[r * in[0].shape[1]];
    for (int64_t c = 1; c < in[0].shape[1]; ++c) most = std::fmax(most, x[r * in[0].shape[1] + c]);
    float mean = most;  // of one element
    y[r] = std::fmax(most - mean, 0.f);
  }
  return threads < 1;
}
