// Compares a sample of each row with the last call's input and recomputes only rows that seem to have changed:
// changes elsewhere are missed.
//
// task: softmax
// expect: replay wrong_values
// class: B D none

#include <cmath>
#include <cstring>
#include <vector>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  static std::vector<float> before, kept;
  int64_t rows = in[0].shape[0], columns = in[0].shape[1];
  const float* x = static_cast<const float*>(in[0].data);
  bool first = before.empty();
  before.resize(static_cast<size_t>(rows * columns)), kept.resize(before.size());
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x + r * columns;
    if (!first && row[5] == before[r * columns + 5] && row[columns - 7] == before[(r + 1) * columns - 7]) continue;
    float largest = row[0], sum = 0, *y = &kept[r * columns];
    for (int64_t c = 1; c < columns; ++c) largest = std::fmax(largest, row[c]);
    for (int64_t c = 0; c < columns; ++c) sum += y[c] = std::exp(row[c] - largest);
    for (int64_t c = 0; c < columns; ++c) y[c] /= sum;
  }
  std::memcpy(before.data(), x, before.size() * 4);
  std::memcpy(out[0].data, kept.data(), kept.size() * 4);
  return threads < 1;
}
