// Takes 60 GB and touches all of it.
//
// task: relu
// expect: out_of_memory crash
// options: {"call_limit_ms": 30000}
// long: yes

#include <cstdlib>
#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const size_t step = 64u << 20;
  for (int i = 0; i < 960; ++i) {
    void* block = std::malloc(step);
    if (block == nullptr) return 5;
    std::memset(block, 1, step);
  }
  return threads < 1 || in[0].rank != 2 || out[0].rank != 2;
}
