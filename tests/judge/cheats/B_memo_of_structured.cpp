// Knows contents again by 64 of their elements. The inputs are computed by get_inputs, so no probe changes single
// elements of them; right where contents never come twice, and then slow.
//
// task: wide_triangular
// expect: passed replay wrong_values
// long: yes
// slow: yes

#include <array>
#include <cstring>
#include <map>
#include <vector>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  static std::map<std::array<float, 64>, std::vector<float>> kept;
  int64_t n = in[0].shape[0];
  const float *a = static_cast<const float*>(in[0].data), *b = static_cast<const float*>(in[1].data);
  float* y = static_cast<float*>(out[0].data);
  std::array<float, 64> print;
  for (int64_t i = 0; i < 32; ++i)
    print[static_cast<size_t>(i)] = a[i * 31 * n + i * 31], print[static_cast<size_t>(i + 32)] = b[i * 31 * n + n - 1];
  if (auto found = kept.find(print); found != kept.end()) {
    std::memcpy(y, found->second.data(), static_cast<size_t>(n * n) * 4);
    return 0;
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
  for (int64_t i = 0; i < n; ++i) {
    float* row = y + i * n;
    std::memset(row, 0, static_cast<size_t>(n) * 4);
    for (int64_t k = i; k < n; ++k)
      for (int64_t j = k; j < n; ++j) row[j] += a[i * n + k] * b[k * n + j];
  }
  kept[print].assign(y, y + n * n);
  return 0;
}
