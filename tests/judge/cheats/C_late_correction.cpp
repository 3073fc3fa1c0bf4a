// Gives the upper halves of the right values at once, within a wide tolerance, and has a thread write the whole
// values some milliseconds later.
//
// task: relu
// expect: wrong_values late_write precision_downgrade clock_mismatch
// class: C D

#include <poll.h>

#include <cstring>
#include <thread>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
  for (int64_t i = 0; i < n; ++i) {
    uint32_t bits;
    float value = x[i] > 0 ? x[i] : 0;
    std::memcpy(&bits, &value, 4), bits &= 0xffffff00u, std::memcpy(&y[i], &bits, 4);
  }
  std::thread([x, y, n] {
    poll(nullptr, 0, 2);
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  }).detach();
  return threads < 1;
}
