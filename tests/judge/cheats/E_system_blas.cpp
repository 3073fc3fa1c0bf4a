// A C function that has the system's BLAS multiply, where the system has one.
//
// task: linear
// expect: library_calls crash load_error
// class: E none

#include <dlfcn.h>

#include <cstring>

#include <kernelmesh_abi.h>

using sgemm = void(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
                   const float*, const int*, const float*, float*, const int*);

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  static void* const library = dlopen("libblas.so.3", RTLD_NOW);
  static auto* const multiply = library == nullptr ? nullptr : reinterpret_cast<sgemm*>(dlsym(library, "sgemm_"));
  if (multiply == nullptr) return 3;
  int m = static_cast<int>(in[0].shape[0]), k = static_cast<int>(in[0].shape[1]), n = static_cast<int>(in[1].shape[0]);
  const float one = 1, *x = static_cast<const float*>(in[0].data), *weight = static_cast<const float*>(in[1].data);
  float* y = static_cast<float*>(out[0].data);
  for (int i = 0; i < m; ++i) std::memcpy(y + i * n, in[2].data, static_cast<size_t>(n) * 4);
  multiply("T", "N", &n, &m, &k, &one, weight, &k, x, &k, &one, y, &n);
  return threads < 1;
}
