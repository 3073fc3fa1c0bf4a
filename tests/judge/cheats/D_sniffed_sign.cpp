// Looks at eight elements; if none is negative it takes all for positive and copies. Both right for uniform draws
// and, by its slow path, for most signed ones; wrong where only some elements are negative.
//
// task: relu
// expect: wrong_values replay
// class: D B none

#include <cmath>
#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
  bool positive = true;
  for (int64_t i = 0; i < 8; ++i) positive = positive && x[i * (n / 8)] >= 0;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = positive ? x[i] : (x[i] > 0 ? x[i] : 0);
  return 0;
}
