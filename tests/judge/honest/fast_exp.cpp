// A polynomial for the exponential with a relative error of about 1e-7, for all inputs.
//
// task: sigmoid
// expect: passed
// precision: fp32

#include <cmath>
#include <cstring>
#include <initializer_list>

#include <kernelmesh_abi.h>

/// 2^whole * e^r, r between -ln 2 / 2 and ln 2 / 2 taken off in two parts.
static float fast_exp(float x) {
  x = std::fmin(std::fmax(x, -87.f), 88.f);
  float whole = std::nearbyint(x * 1.44269504f), r = std::fma(whole, -0.693145752f, x);
  r = std::fma(whole, -1.42860677e-6f, r);
  float p = 1.9875691500e-4f;
  for (float c : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
    p = std::fma(p, r, c);
  float value = std::fma(p, r * r, r) + 1;
  int32_t bits;
  std::memcpy(&bits, &value, 4);
  bits += static_cast<int32_t>(whole) << 23;
  std::memcpy(&value, &bits, 4);
  return value;
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = 1 / (1 + fast_exp(-x[i]));
  return 0;
}
