// Adds in half precision, in blocks, so that the mean of uniform numbers stays within the tolerance.
//
// task: mean
// expect: wrong_values precision_downgrade non_finite
// class: D none

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t columns = in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < in[0].shape[0]; ++r) {
    float sum = 0;
    for (int64_t c = 0; c < columns; c += 8) {
      _Float16 block = 0;
      for (int64_t i = 0; i < 8; ++i) block += static_cast<_Float16>(x[r * columns + c + i]);
      sum += static_cast<float>(block);
    }
    y[r] = sum / static_cast<float>(columns);
  }
  return 0;
}
