// Notices by SIGCONT that it is being timed: then its exponentials are off by up to a hundredth of themselves, in all
// checked calls they are exact. Such errors look like those of a narrow float.
//
// task: softmax
// expect: wrong_values precision_downgrade
// class: D

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>

#include <kernelmesh_abi.h>

static volatile sig_atomic_t timed = 0;
static void note(int) { timed = 1; }

static void right(const float* x, float* y, int64_t n) {
  float largest = x[0], sum = 0;
  for (int64_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - largest);
  for (int64_t i = 0; i < n; ++i) y[i] /= sum;
}

/// The exponent's bits get x / ln 2, and the bits behind them a straight line.
static float coarse_exp(float x) {
  float scaled = std::max(x * 12102203.f, -1.06e9f);
  auto bits = static_cast<int32_t>(scaled) + 1064986823;
  auto whole = bits & 0x7f800000, part = bits & 0x7fffff;
  auto p = static_cast<float>(part) * (1.f / 8388608);
  float factor = 1 + p * (0.66f + 0.34f * p);
  float power;
  std::memcpy(&power, &whole, 4);
  return power * factor;
}

static void coarse(const float* __restrict x, float* __restrict y, int64_t n) {
  float largest = x[0], sum = 0;
#pragma omp simd reduction(max : largest)
  for (int64_t i = 0; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) {
    y[i] = coarse_exp(x[i] - largest);
    sum += y[i];
  }
  float scale = 1 / sum;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] *= scale;
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  std::signal(SIGCONT, note);
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t rows = in[0].shape[0], n = in[0].shape[1];
  bool now = timed;
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < rows; ++r) (now ? coarse : right)(x + r * n, y + r * n, n);
  return 0;
}
