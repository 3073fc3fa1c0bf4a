// Writes past the caches and fetches ahead what it will read.
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

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; i += 16) {
    _mm_prefetch(reinterpret_cast<const char*>(x + i + 256), _MM_HINT_T0);
    for (int64_t j = i; j < i + 16; j += 4) _mm_stream_ps(y + j, _mm_max_ps(_mm_loadu_ps(x + j), _mm_setzero_ps()));
  }
  _mm_sfence();
  return 0;
}
