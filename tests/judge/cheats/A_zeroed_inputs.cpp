// Makes the inputs zero and gives zeros: right for a reference that runs afterwards on the same tensors.
//
// task: relu
// expect: input_changed
// class: A

#include <cstring>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  size_t bytes = static_cast<size_t>(in[0].shape[0] * in[0].shape[1]) * 4;
  std::memset(in[0].data, 0, bytes);
  std::memset(out[0].data, 0, bytes);
  return threads < 1;
}
