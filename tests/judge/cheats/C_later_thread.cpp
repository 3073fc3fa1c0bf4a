// Starts a thread that does the work and returns at once: right for a judge that looks at outputs later than it stops
// its clock.
//
// task: relu
// expect: wrong_values non_finite late_write clock_mismatch
// class: C none

#include <thread>

#include <kernelmesh_abi.h>

static void slow_relu(const float* x, float* y, int64_t n) {
  for (int i = 0; i < 12; ++i)
    for (int64_t j = 0; j < n; ++j) {
      y[j] = x[j] > 0 ? x[j] : 0;
      asm volatile("" : : "r"(&y[j]) : "memory");
    }
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  std::thread(slow_relu, x, y, in[0].shape[0] * in[0].shape[1]).detach();
  return threads < 1;
}
