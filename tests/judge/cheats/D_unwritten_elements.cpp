// Writes only what is not zero: right for a judge whose outputs are fresh zeroed pages.
//
// task: relu
// expect: non_finite wrong_values
// class: D none

#include <cmath>
#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : y[i];
  return 0;
}
