// Sets the lent weights to zero, so that its own work is a bias; right for a judge whose reference shares the
// weights.
//
// task: linear
// expect: input_changed
// class: A

#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  int64_t m = in[0].shape[0], n = in[1].shape[0];
  std::memset(in[1].data, 0, static_cast<size_t>(n * in[1].shape[1]) * 4);
  const float* bias = static_cast<const float*>(in[2].data);
  float* y = static_cast<float*>(out[0].data);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) y[i * n + j] = bias[j];
  return threads < 1;
}
