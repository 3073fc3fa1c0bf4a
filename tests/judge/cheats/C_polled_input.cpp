// A thread watches the lent input and computes as soon as it changes, before the judge says go; the call compares
// contents and copies. Where nothing runs before the window it is right and slow.
//
// task: relu
// expect: passed clock_mismatch below_floor late_write
// long: yes
// slow: yes

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include <kernelmesh_abi.h>

static void slow_relu(const float* x, float* y, int64_t n) {
  for (int i = 0; i < 12; ++i)
    for (int64_t j = 0; j < n; ++j) {
      y[j] = x[j] > 0 ? x[j] : 0;
      asm volatile("" : : "r"(&y[j]) : "memory");
    }
}

static std::mutex lock;
static std::vector<float> seen, ready;

static bool same(const float* x, int64_t n) { return std::memcmp(seen.data(), x, static_cast<size_t>(n) * 4) == 0; }

static void watch(const float* x, int64_t n) {
  for (;;) {
    std::lock_guard guard(lock);
    if (same(x, n)) continue;
    std::memcpy(seen.data(), x, static_cast<size_t>(n) * 4);
    slow_relu(seen.data(), ready.data(), n);
  }
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
  static bool started = false;
  if (!started) {
    seen.resize(n), ready.resize(n), started = true;
    std::thread(watch, x, n).detach();
  }
  std::lock_guard guard(lock);
  if (!same(x, n)) {
    std::memcpy(seen.data(), x, static_cast<size_t>(n) * 4);
    slow_relu(seen.data(), ready.data(), n);
  }
  std::memcpy(out[0].data, ready.data(), static_cast<size_t>(n) * 4);
  return threads < 1;
}
