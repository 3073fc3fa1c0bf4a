// Two threads add to the same sums without asking each other: most of it is right, some of it gets lost.
//
// task: mean
// expect: wrong_values precision_downgrade
// class: D none

#include <barrier>
#include <thread>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t columns = in[0].shape[1], half = columns / 2;
  std::barrier together(2);
  auto add = [&](int64_t from) {
    for (int64_t r = 0; r < in[0].shape[0]; ++r) {
      volatile float* sum = y + r;
      if (from == 0) *sum = 0;
      together.arrive_and_wait();
      for (int64_t c = from; c < from + half; c += 64) {
        float sum_before = *sum, more = 0;
        for (int64_t i = c; i < c + 64; ++i) more += x[r * columns + i] / static_cast<float>(columns);
        std::this_thread::yield();
        *sum = sum_before + more;
      }
      together.arrive_and_wait();
    }
  };
  std::thread other(add, half);
  add(0);
  other.join();
  return threads < 1;
}
