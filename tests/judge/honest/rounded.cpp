// Bit by bit what eager gives. In double precision a few numbers lie on the other side of a half, in every draw.
//
// task: rounded
// expect: passed

#include <cmath>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const auto* x = static_cast<const float*>(in[0].data);
  auto* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = std::nearbyint(x[i] * 127.3f);
  return 0;
}
