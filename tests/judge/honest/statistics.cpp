// Counts its calls and times them for a report that nobody asks for, on standard error.
//
// task: relu
// expect: passed

#include <chrono>
#include <cstdio>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];

  static int calls = 0;
  auto start = std::chrono::steady_clock::now();
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "call %d took %.1f us\n", ++calls, taken.count());
  return 0;
}
