// Writes over everything near the lent output: its own heap, not the judge's.
//
// task: relu
// expect: crash wrong_values input_changed
// options: {"call_limit_ms": 1000}

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  auto* y = static_cast<float*>(out[0].data);
  for (int64_t i = -(1 << 24); i < 1 << 24; ++i) y[i] = static_cast<float>(threads);
  return threads < 1 || in[0].rank != 2 || out[0].rank != 2;
}
