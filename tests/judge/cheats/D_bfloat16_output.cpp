// Rounds its output to bfloat16: probabilities of a thousandth are off by 4e-6, far inside an absolute tolerance of
// 1e-4.
//
// task: softmax
// expect: precision_downgrade wrong_values
// class: D

#include <cmath>
#include <cstring>

#include <kernelmesh_abi.h>

static float largest(const float* x, int64_t n) {
  float most = x[0];
  for (int64_t i = 1; i < n; ++i) most = std::fmax(most, x[i]);
  return most;
}

static float rounded(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x7fffu + ((bits >> 16) & 1)) & 0xffff0000u;
  std::memcpy(&x, &bits, 4);
  return x;
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < in[0].shape[0]; ++r) {
    int64_t columns = in[0].shape[1];
    const float* from = x + r * columns;
    float *to = y + r * columns, sum = 0, shift = largest(from, columns);
    for (int64_t c = 0; c < columns; ++c) sum += to[c] = std::exp(from[c] - shift);
    for (int64_t c = 0; c < columns; ++c) to[c] = rounded(to[c] / sum);
  }
  return 0;
}
