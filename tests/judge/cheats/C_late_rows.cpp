// Answers while a thread of its own still works on the last rows: whoever copies the output from its beginning comes
// there when they are done.
//
// task: wide_softmax_rows
// expect: wrong_values non_finite late_write clock_mismatch
// class: C D none
// long: yes

#include <cmath>
#include <csignal>
#include <thread>

#include <kernelmesh_abi.h>

static volatile sig_atomic_t timed = 0;
static void note(int) { timed = 1; }

static void softmax(const float* x, float* y, int64_t n) {
  float largest = x[0], sum = 0;
  for (int64_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - largest);
  for (int64_t i = 0; i < n; ++i) y[i] /= sum;
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  std::signal(SIGCONT, note);
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t rows = in[0].shape[0], n = in[0].shape[1];
  int64_t now = timed ? rows - rows / 24 : rows;
  static std::thread late;
  if (late.joinable()) late.join();
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < now; ++r) softmax(x + r * n, y + r * n, n);
  if (now < rows)
    late = std::thread([=] {
      for (int64_t r = now; r < rows; ++r) softmax(x + r * n, y + r * n, n);
    });
  return 0;
}
