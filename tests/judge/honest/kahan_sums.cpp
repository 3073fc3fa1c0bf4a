// Adds with a correction for what rounding loses: more exact than eager.
//
// task: mean
// expect: passed

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);

  int64_t columns = in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < in[0].shape[0]; ++r) {
    float sum = 0, lost = 0;
    for (int64_t c = 0; c < columns; ++c) {
      float term = x[r * columns + c] - lost, next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    y[r] = sum / static_cast<float>(columns);
  }
  return 0;
}
