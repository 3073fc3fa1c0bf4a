// Knows a second input again, which get_inputs computes, by comparing all of it, and keeps what depends on it alone:
// always right, and fast only where timed calls bring the same one again. What that costs is made plain by computing it
// eight times.
//
// task: triangular_gate
// expect: passed replay
// slow: yes

#include <cmath>
#include <cstring>
#include <vector>

#include <kernelmesh_abi.h>

struct known {
  std::vector<float> b, gate;
};

static void gate_of(const float* b, float* g, int64_t n) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i) {
    volatile float v = 0;
    for (int again = 0; again < 8; ++again) v = std::tanh(std::sinh(b[i]));
    g[i] = v;
  }
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  static std::vector<known> seen;
  int64_t n = in[0].shape[0] * in[0].shape[1];
  auto size = static_cast<size_t>(n);
  const float *x = static_cast<const float*>(in[0].data), *b = static_cast<const float*>(in[1].data);
  float* y = static_cast<float*>(out[0].data);
  const float* gate = nullptr;
  for (auto& one : seen)
    if (std::memcmp(one.b.data(), b, size * 4) == 0) gate = one.gate.data();
  if (gate == nullptr) {
    if (seen.size() > 12) seen.erase(seen.begin());
    seen.push_back({{b, b + n}, std::vector<float>(size)});
    gate_of(b, seen.back().gate.data(), n);
    gate = seen.back().gate.data();
  }
#pragma omp parallel for simd num_threads(threads)
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * gate[i];
  return 0;
}
