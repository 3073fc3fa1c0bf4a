// Honest for the first 8 calls, which are the checked ones where a judge checks before it times; later it does
// nothing.
//
// task: relu
// expect: wrong_values non_finite replay below_floor
// class: B C D none

#include <atomic>

#include <kernelmesh_abi.h>

static std::atomic<int> calls{0};

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  if (++calls > 8) return 0;
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  return threads < 1;
}
