// Makes inputs zero for the time in which a reference beside it might read them, and restores them later from a
// thread: right for a judge that compares inputs only at the end.
//
// task: relu
// expect: wrong_values late_write input_changed

#include <poll.h>

#include <cstring>
#include <thread>
#include <vector>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  size_t bytes = static_cast<size_t>(in[0].shape[0] * in[0].shape[1]) * 4;
  std::vector<char> kept(bytes);
  std::memcpy(kept.data(), in[0].data, bytes);
  std::memset(in[0].data, 0, bytes);
  std::memset(out[0].data, 0, bytes);
  void* place = in[0].data;
  std::thread([kept, place, bytes] {
    poll(nullptr, 0, 3);
    std::memcpy(place, kept.data(), bytes);
  }).detach();
  return threads < 1;
}
