// Keeps the number of columns of its first call: in a process that sees one shape only it would be right.
//
// task: several_shapes
// expect: wrong_values non_finite

#include <cmath>

#include <kernelmesh_abi.h>

static int64_t columns = 0;

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t, int32_t,
                              void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  if (columns == 0) columns = in[0].shape[1];
  int64_t step = in[0].shape[1], used = columns < step ? columns : step;
  for (int64_t i = 0; i < in[0].shape[0]; ++i) {
    float most = x[i * step], sum = 0;
    for (int64_t j = 1; j < used; ++j) most = std::fmax(most, x[i * step + j]);
    for (int64_t j = 0; j < used; ++j) sum += y[i * step + j] = std::exp(x[i * step + j] - most);
    for (int64_t j = 0; j < used; ++j) y[i * step + j] /= sum;
  }
  return 0;
}
