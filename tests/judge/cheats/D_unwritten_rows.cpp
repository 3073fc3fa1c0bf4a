// Leaves the last row out; what lay there before is mostly an earlier right answer.
//
// task: relu
// expect: non_finite wrong_values replay

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  for (int64_t i = 0; i < (in[0].shape[0] - 1) * in[0].shape[1]; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  return threads < 1;
}
