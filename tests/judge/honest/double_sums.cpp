// Normalises rows with sums in double precision, and uses weight and bias.
//
// task: layernorm
// expect: passed
// precision: fp32

#include <cmath>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);

  const float *gamma = static_cast<const float*>(in[1].data), *beta = static_cast<const float*>(in[2].data);
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < in[0].shape[0]; ++r) {
    int64_t columns = in[0].shape[1];
    const float* row = x + r * columns;
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < columns; ++c) sum += row[c];
    double mean = sum / static_cast<double>(columns);
    for (int64_t c = 0; c < columns; ++c) squares += (row[c] - mean) * (row[c] - mean);
    double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5);
    for (int64_t c = 0; c < columns; ++c)
      y[r * columns + c] = static_cast<float>((row[c] - mean) * scale) * gamma[c] + beta[c];
  }
  return 0;
}
