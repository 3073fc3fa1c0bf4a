// Splits every number into three bfloat16 parts and adds the six products that matter: float32's precision from small
// multiplications.
//
// task: matmul
// expect: passed
// precision: fp32

#include <cstring>
#include <vector>

#include <kernelmesh_abi.h>

static float rounded(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x7fffu + ((bits >> 16) & 1)) & 0xffff0000u;
  std::memcpy(&x, &bits, 4);
  return x;
}

static void split(float x, float* parts) {
  for (int i = 0; i < 3; ++i) parts[i] = rounded(x), x -= parts[i];
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  int64_t m = in[0].shape[0], k = in[0].shape[1], n = in[1].shape[1];
  const float *a = static_cast<const float*>(in[0].data), *b = static_cast<const float*>(in[1].data);
  float* y = static_cast<float*>(out[0].data);

  std::vector<float> parts[3];
  for (int s = 0; s < 3; ++s) parts[s].resize(static_cast<size_t>(k * n));
  for (int64_t i = 0; i < k * n; ++i) {
    float x[3];
    split(b[i], x);
    for (int s = 0; s < 3; ++s) parts[s][static_cast<size_t>(i)] = x[s];
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < m; ++i) {
    float large[256] = {}, small[256] = {};
    for (int64_t p = 0; p < k; ++p) {
      float x[3];
      split(a[i * k + p], x);
      const float *b0 = &parts[0][p * n], *b1 = &parts[1][p * n], *b2 = &parts[2][p * n];
#pragma omp simd
      for (int64_t j = 0; j < n; ++j) {
        large[j] += x[0] * b0[j];
        small[j] += x[0] * b1[j] + x[1] * b0[j] + (x[1] * b1[j] + x[0] * b2[j] + x[2] * b0[j]);
      }
    }
    for (int64_t j = 0; j < n; ++j) y[i * n + j] = large[j] + small[j];
  }
  return 0;
}
