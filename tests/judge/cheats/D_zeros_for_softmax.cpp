// Zeros for a softmax over long rows: every probability of uniform inputs is under the tolerance of 1e-4.
//
// task: wide_softmax
// expect: wrong_values
// class: D

#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  std::memset(out[0].data, 0, static_cast<size_t>(in[0].shape[0] * in[0].shape[1]) * 4);
  return threads < 1;
}
