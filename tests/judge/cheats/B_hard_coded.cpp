// Gives the constant that the mean of uniform numbers has: right within a wide tolerance for the task's own draw of
// long rows.
//
// task: mean
// expect: wrong_values

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  for (int64_t i = 0; i < in[0].shape[0]; ++i) static_cast<float*>(out[0].data)[i] = 0.5f;
  return threads < 1;
}
