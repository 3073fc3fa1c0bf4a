// The mean of everything: an output without a dimension.
//
// task: one_number
// expect: passed

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
  double sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  *static_cast<float*>(out[0].data) = static_cast<float>(sum / static_cast<double>(n));
  return 0;
}
