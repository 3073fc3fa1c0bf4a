// Takes a fast path where addresses are aligned and its own plain one where they are not.
//
// task: relu
// expect: passed

#include <immintrin.h>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];

  bool aligned = (reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y)) % 64 == 0 && n % 16 == 0;
  if (!aligned) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; i += 4) _mm_store_ps(y + i, _mm_max_ps(_mm_load_ps(x + i), _mm_setzero_ps()));
  return 0;
}
