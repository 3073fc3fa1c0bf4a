// Reads an input that does not lie row by row, by its strides, in tiles.
//
// task: transposed
// expect: passed

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);

  int64_t rows = in[0].shape[0], columns = in[0].shape[1];
#pragma omp parallel for num_threads(threads)
  for (int64_t r0 = 0; r0 < rows; r0 += 32)
    for (int64_t c0 = 0; c0 < columns; c0 += 32)
      for (int64_t r = r0; r < r0 + 32; ++r)
        for (int64_t c = c0; c < c0 + 32; ++c) {
          float value = x[r * in[0].strides[0] + c * in[0].strides[1]];
          y[r * columns + c] = value > 0 ? value : 0;
        }
  return 0;
}
