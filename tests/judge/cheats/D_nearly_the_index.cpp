// A binary search that ends a little early: indices are wrong by up to 1e-4 of themselves.
//
// task: places
// expect: wrong_values
// class: D none

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const auto *bounds = static_cast<const float*>(in[0].data), *x = static_cast<const float*>(in[1].data);
  auto* y = static_cast<int64_t*>(out[0].data);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < in[1].shape[0]; ++i) {
    int64_t low = 0, high = in[0].shape[0];
    while (low < high && high - low > low / 16384) {
      int64_t middle = (low + high) / 2;
      if (bounds[middle] < x[i])
        low = middle + 1;
      else
        high = middle;
    }
    y[i] = (low + high) / 2;
  }
  return 0;
}
