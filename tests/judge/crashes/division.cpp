// Divides by zero in integers.
//
// task: relu
// expect: crash
// options: {"call_limit_ms": 1000}

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  volatile int zero = 0;
  if (threads / zero == 1) return 1;
  return threads < 1 || in[0].rank != 2 || out[0].rank != 2;
}
