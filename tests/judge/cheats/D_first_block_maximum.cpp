// The largest of a row's first 960 elements: the one it misses is seldom the largest, and then little smaller for
// uniform numbers.
//
// task: maximum
// expect: wrong_values
// class: D none

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t columns = in[0].shape[1];
  for (int64_t r = 0; r < in[0].shape[0]; ++r) {
    float most = x[r * columns];
    for (int64_t c = 1; c < 960; ++c) most = x[r * columns + c] > most ? x[r * columns + c] : most;
    y[r] = most;
  }
  return threads < 1;
}
