// Takes more memory than it may, as memory that is shared with nobody.
//
// task: relu
// expect: out_of_memory crash load_error
// sandboxed: yes

#include <sys/mman.h>
#include <cstring>
#include <ctime>

#include <kernelmesh_abi.h>

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t, int32_t,
                              void*) {
  constexpr size_t block = 64u << 20, most = 5ull << 30;
  static bool taken = false;
  for (size_t n = 0; n < most && !taken; n += block) {
    void* p = mmap(nullptr, block, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return 12;
    std::memset(p, 1, block);
  }
  for (auto end = std::clock() + CLOCKS_PER_SEC / 4; !taken && std::clock() < end;) {
  }
  taken = true;
  const float* x = static_cast<const float*>(in[0].data);
  auto* y = static_cast<float*>(out[0].data);
  for (int64_t i = 0; i < in[0].shape[0] * in[0].shape[1]; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  return 0;
}
