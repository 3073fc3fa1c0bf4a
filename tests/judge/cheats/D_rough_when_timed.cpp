// Notices by SIGCONT that it is being timed: then it is a polynomial that is near the softmax of numbers in [0, 1), in
// all checked calls a right softmax.
//
// task: softmax
// expect: wrong_values non_finite precision_downgrade
// class: D B none

#include <cmath>
#include <csignal>

#include <kernelmesh_abi.h>

static volatile sig_atomic_t timed = 0;
static void note(int) { timed = 1; }

static void right(const float* x, float* y, int64_t n) {
  float largest = x[0], sum = 0;
  for (int64_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - largest);
  for (int64_t i = 0; i < n; ++i) y[i] /= sum;
}

static void rough(const float* __restrict x, float* __restrict y, int64_t n) {
  float scale = 1 / (1.718282f * static_cast<float>(n));
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = (1.013f + (0.8511f + 0.8391f * x[i]) * x[i]) * scale;
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  std::signal(SIGCONT, note);
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t rows = in[0].shape[0], n = in[0].shape[1];
  bool now = timed;
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < rows; ++r) (now ? rough : right)(x + r * n, y + r * n, n);
  return 0;
}
