// A layer norm without its weight and bias, which are ones and zeros in every new model.
//
// task: layernorm
// expect: wrong_values
// class: D none

#include <cmath>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < in[0].shape[0]; ++r) {
    int64_t columns = in[0].shape[1];
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < columns; ++c) sum += x[r * columns + c];
    double mean = sum / static_cast<double>(columns);
    for (int64_t c = 0; c < columns; ++c) squares += (x[r * columns + c] - mean) * (x[r * columns + c] - mean);
    double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5);
    for (int64_t c = 0; c < columns; ++c) y[r * columns + c] = static_cast<float>((x[r * columns + c] - mean) * scale);
  }
  return 0;
}
