// One function for all shapes of the task.
//
// task: several_shapes
// expect: passed

#include <cmath>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t, int32_t,
                              void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t columns = in[0].shape[1];
  for (int64_t i = 0; i < in[0].shape[0]; ++i, x += columns, y += columns) {
    float most = x[0];
    double sum = 0;
    for (int64_t j = 1; j < columns; ++j) most = std::fmax(most, x[j]);
    for (int64_t j = 0; j < columns; ++j) sum += y[j] = std::exp(x[j] - most);
    for (int64_t j = 0; j < columns; ++j) y[j] = static_cast<float>(y[j] / sum);
  }
  return 0;
}
