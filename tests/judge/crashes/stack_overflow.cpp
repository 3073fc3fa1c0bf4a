// Calls itself without end.
//
// task: relu
// expect: crash
// options: {"call_limit_ms": 1000}

#include <kernelmesh_abi.h>

static int deeper(int x) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(x);
  return deeper(x + 1) + frame[0];
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  if (deeper(1) == 0) return 1;
  return threads < 1 || in[0].rank != 2 || out[0].rank != 2;
}
