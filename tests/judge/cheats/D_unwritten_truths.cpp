// Writes only what is false: what the judge left in an output of truths counts as true.
//
// task: below
// expect: wrong_values
// class: D none

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const auto* x = static_cast<const float*>(in[0].data);
  auto* y = static_cast<unsigned char*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i)
    if (!(x[i] < 0.999f)) y[i] = 0;
  return 0;
}
