// As D_unit_interval, for a task whose numbers come from numpy.
//
// task: sigmoid_of_numpy
// expect: wrong_values non_finite precision_downgrade
// class: D none

#include <kernelmesh_abi.h>

/// Taylor's series of tanh(t / 2) / 2 + 1 / 2.
static float poly(float x) {
  double t = x / 2.0, t2 = t * t;
  double tanh = t * (1 + t2 * (-1 / 3. + t2 * (2 / 15. + t2 * (-17 / 315. + t2 * (62 / 2835. - t2 * 1382 / 155925.)))));
  return static_cast<float>(0.5 + 0.5 * tanh);
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = poly(x[i]);
  return 0;
}
