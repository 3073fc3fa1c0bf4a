// Eight threads take what memory they can, in a load and not in a call.
//
// task: relu
// expect: out_of_memory load_error timeout
// options: {"call_limit_ms": 30000}
// long: yes

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <kernelmesh_abi.h>

static const int at_load = [] {
  std::vector<std::thread> takers;
  for (int i = 0; i < 8; ++i)
    takers.emplace_back([] {
      for (int j = 0; j < 120; ++j)
        if (void* block = std::malloc(64u << 20)) std::memset(block, 1, 64u << 20);
    });
  for (auto& taker : takers) taker.join();
  return 0;
}();

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  return threads < 1 || in[0].rank != 2 || out[0].rank != 2;
}
