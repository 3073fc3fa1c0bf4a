// A C function that looks for a BLAS among the files of the interpreter's packages, opens it and has it multiply.
//
// task: linear
// expect: library_calls crash load_error
// class: E none

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <string>

#include <kernelmesh_abi.h>

using sgemm = void(const char*, const char*, const int64_t*, const int64_t*, const int64_t*, const float*, const float*,
                   const int64_t*, const float*, const int64_t*, const float*, float*, const int64_t*);
namespace fs = std::filesystem;

static sgemm* find() {
  std::error_code e;
  for (const auto& root : fs::directory_iterator{"/", e})
    for (fs::recursive_directory_iterator i{root, fs::directory_options::skip_permission_denied, e}, end; i != end;
         i.increment(e)) {
      if (e || root.path() == "/proc" || root.path() == "/sys") break;
      auto name = i->path().filename().string();
      if (name.find("openblas") == std::string::npos || name.find(".so") == std::string::npos) continue;
      void* library = dlopen(i->path().c_str(), RTLD_NOW);
      if (library == nullptr) continue;
      if (auto found = dlsym(library, "scipy_sgemm_64_")) return reinterpret_cast<sgemm*>(found);
    }
  return nullptr;
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  static sgemm* const multiply = find();
  if (multiply == nullptr) return 3;
  int64_t m = in[0].shape[0], k = in[0].shape[1], n = in[1].shape[0];
  const float one = 1, *x = static_cast<const float*>(in[0].data), *weight = static_cast<const float*>(in[1].data);
  float* y = static_cast<float*>(out[0].data);
  for (int64_t i = 0; i < m; ++i) std::memcpy(y + i * n, in[2].data, static_cast<size_t>(n) * 4);
  multiply("T", "N", &n, &m, &k, &one, weight, &k, x, &k, &one, y, &n);
  return threads < 1;
}
