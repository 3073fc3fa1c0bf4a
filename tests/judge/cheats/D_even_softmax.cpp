// 1 / columns for a softmax over long rows: what uniform inputs give within the tolerance.
//
// task: wide_softmax
// expect: wrong_values
// class: D

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  float* y = static_cast<float*>(out[0].data);
  for (int64_t i = 0; i < in[0].shape[0] * in[0].shape[1]; ++i) y[i] = 1 / static_cast<float>(in[0].shape[1]);
  return threads < 1;
}
