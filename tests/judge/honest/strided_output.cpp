// Writes an output that is a view with gaps, by the strides that it is given.
//
// task: strided
// expect: passed

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);

  for (int64_t r = 0; r < out[0].shape[0]; ++r)
    for (int64_t c = 0; c < out[0].shape[1]; ++c) {
      float value = x[r * in[0].strides[0] + 2 * c];
      y[r * out[0].strides[0] + c * out[0].strides[1]] = value > 0 ? value : 0;
    }
  return threads < 1;
}
