// Computes once and copies that result from a static buffer ever after.
//
// task: relu
// expect: replay wrong_values
// class: B

#include <cstring>
#include <vector>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  static std::vector<float> kept;
  size_t n = static_cast<size_t>(in[0].shape[0] * in[0].shape[1]);
  const float* x = static_cast<const float*>(in[0].data);
  if (kept.empty()) {
    kept.resize(n);
    for (size_t i = 0; i < n; ++i) kept[i] = x[i] > 0 ? x[i] : 0;
  }
  std::memcpy(out[0].data, kept.data(), n * 4);
  return threads < 1;
}
