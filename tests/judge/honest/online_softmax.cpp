// One pass that keeps the largest element and the sum so far, and corrects the sum when the largest changes.
//
// task: softmax
// expect: passed

#include <cmath>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);

  int64_t rows = in[0].shape[0], columns = in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x + r * columns;
    float largest = -INFINITY, sum = 0;
    for (int64_t c = 0; c < columns; ++c) {
      if (row[c] > largest) sum *= std::exp(largest - row[c]), largest = row[c];
      sum += std::exp(row[c] - largest);
    }
    for (int64_t c = 0; c < columns; ++c) y[r * columns + c] = std::exp(row[c] - largest) / sum;
  }
  return 0;
}
