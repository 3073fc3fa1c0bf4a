// Works in place on a scratch that lives in static memory from call to call, then copies the result out.
//
// task: softmax
// expect: passed

#include <cmath>
#include <cstring>
#include <vector>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);

  static std::vector<float> scratch;
  int64_t rows = in[0].shape[0], columns = in[0].shape[1];
  scratch.resize(static_cast<size_t>(rows * columns));
  std::memcpy(scratch.data(), x, scratch.size() * 4);
#pragma omp parallel for num_threads(threads)
  for (int64_t r = 0; r < rows; ++r) {
    float *row = &scratch[static_cast<size_t>(r * columns)], largest = row[0], sum = 0;
    for (int64_t c = 1; c < columns; ++c) largest = std::fmax(largest, row[c]);
    for (int64_t c = 0; c < columns; ++c) sum += row[c] = std::exp(row[c] - largest);
    for (int64_t c = 0; c < columns; ++c) row[c] /= sum;
  }
  std::memcpy(y, scratch.data(), scratch.size() * 4);
  return 0;
}
