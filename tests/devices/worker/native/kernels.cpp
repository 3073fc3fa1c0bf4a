// Functions of a candidate's library, for test_native_host.py.

#include <fcntl.h>
#include <omp.h>
#include <sys/resource.h>
#include <cstdlib>
#include <stdexcept>

#include "devices/worker/kernelmesh_abi.h"

#define KERNEL(name)                                                                                     \
  extern "C" int name([[maybe_unused]] const kernelmesh_tensor* in, [[maybe_unused]] int32_t in_count,   \
                      [[maybe_unused]] const kernelmesh_tensor* out, [[maybe_unused]] int32_t out_count, \
                      [[maybe_unused]] int32_t threads, [[maybe_unused]] void* stream)

/// Sums two matrices of any strides.
KERNEL(add) {
  auto at = [](const kernelmesh_tensor& x, int64_t i, int64_t j) {
    return static_cast<float*>(x.data) + i * x.strides[0] + j * x.strides[1];
  };
#pragma omp parallel for
  for (int64_t i = 0; i < out[0].shape[0]; ++i)
    for (int64_t j = 0; j < out[0].shape[1]; ++j) *at(out[0], i, j) = *at(in[0], i, j) + *at(in[1], i, j);
  return 0;
}

/// Counts, then dtype, rank, shape and strides of each argument.
KERNEL(describe) {
  auto to = static_cast<int64_t*>(out[0].data);
  *to++ = in_count, *to++ = out_count, *to++ = stream == nullptr;
  for (int32_t k = 0; k < in_count; ++k) {
    *to++ = in[k].dtype, *to++ = in[k].rank;
    for (int32_t i = 0; i < in[k].rank; ++i) *to++ = in[k].shape[i];
    for (int32_t i = 0; i < in[k].rank; ++i) *to++ = in[k].strides[i];
  }
  return 0;
}

/// What is said of threads, and how many there are.
KERNEL(count_threads) {
  auto to = static_cast<int64_t*>(out[0].data);
  int seen = 0;
#pragma omp parallel reduction(+ : seen)
  seen += 1;
  to[0] = threads, to[1] = omp_get_max_threads(), to[2] = seen;
  to[3] = std::string{std::getenv("OMP_WAIT_POLICY")} == "passive";
  return 0;
}

/// Which descriptors are open, and how large a core dump may be.
KERNEL(look_around) {
  auto to = static_cast<int64_t*>(out[0].data);
  for (int fd = 0; fd < 256; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) to[0] += 1, to[1] = fd;
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  to[2] = static_cast<int64_t>(core.rlim_cur + core.rlim_max);
  return 0;
}

/// Works once.
KERNEL(refuse) {
  static int calls = 0;
  return calls++ == 0 ? 0 : 7;
}

KERNEL(throw_error) { throw std::runtime_error{"the row is too short\x01"}; }
KERNEL(throw_number) { throw 5; }
KERNEL(crash) { std::abort(); }
KERNEL(leave) { std::exit(3); }
