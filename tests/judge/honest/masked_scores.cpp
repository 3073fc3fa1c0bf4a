// Its right output has infinite numbers, at the same places in every draw.
//
// task: masked_scores
// expect: passed

#include <limits>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const auto* x = static_cast<const float*>(in[0].data);
  auto* y = static_cast<float*>(out[0].data);
  int64_t rows = in[0].shape[0] * in[0].shape[1], n = in[0].shape[2];
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < n; ++c) y[r * n + c] = c > r % n ? -std::numeric_limits<float>::infinity() : x[r * n + c];
  return 0;
}
