// A softmax that does not take the row's maximum off, for a task that draws its inputs by a method of tensors: are the
// redraws any others than its own?
//
// task: filled_in_place
// expect: non_finite wrong_values
// class: D none

#include <cmath>
#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < in[0].shape[0]; ++r) {
    int64_t columns = in[0].shape[1];
    const float* from = x + r * columns;
    float *to = y + r * columns, sum = 0, shift = 0;
    for (int64_t c = 0; c < columns; ++c) sum += to[c] = std::exp(from[c] - shift);
    for (int64_t c = 0; c < columns; ++c) to[c] = to[c] / sum;
  }
  return 0;
}
