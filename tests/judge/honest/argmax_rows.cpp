// The place of each row's largest number, as whole numbers of 64 bits.
//
// task: argmax_rows
// expect: passed

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  auto* y = static_cast<int64_t*>(out[0].data);
  int64_t rows = in[0].shape[0], n = in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < rows; ++r) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; ++i)
      if (x[r * n + i] > x[r * n + best]) best = i;
    y[r] = best;
  }
  return 0;
}
