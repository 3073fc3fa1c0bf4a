// Gives zeros, which is what this task always computes. Nobody can tell it from work, so it must only be known that
// the task proves nothing.
//
// task: degenerate
// expect: passed
// degenerate: yes

#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  std::memset(out[0].data, 0, static_cast<size_t>(out[0].shape[0]) * 4);
  return threads < 1 || in[0].rank != 2;
}
