#pragma once
// What kernels of cuda_c need of CUDA, on a CPU: the threads of a block are fibers of one thread, blocks run one after
// the other. No clusters, no dynamic shared memory. cuda_emulator.py builds kernels with it.

#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(x)

struct uint2 {
  unsigned x, y;
};
struct uint4 {
  unsigned x, y, z, w;
};
struct place_in_grid {
  unsigned x = 0;
};

namespace emulated {

constexpr int lanes = 32;
constexpr std::size_t stack_bytes = 64 << 10;

struct barrier {
  int arrived = 0;
  unsigned turn = 0;
};
struct fiber {
  ucontext_t context;
  std::vector<char> stack;
  place_in_grid thread;
  bool done = false;
};

inline std::vector<fiber> fibers;
inline ucontext_t scheduler;
inline fiber* current = nullptr;
inline place_in_grid block, grid;
inline barrier all;
inline std::vector<barrier> warps;
inline std::vector<unsigned> exchanged;

inline void yield() { swapcontext(&current->context, &scheduler); }

inline void meet(barrier& at, int count) {
  auto turn = at.turn;
  if (++at.arrived == count) {
    at.arrived = 0;
    ++at.turn;
    return;
  }
  while (at.turn == turn) yield();
}

inline unsigned from_lane(unsigned x, unsigned lane) {
  auto thread = current->thread.x;
  auto& warp = warps[thread / lanes];
  exchanged[thread] = x;
  meet(warp, lanes);
  auto y = exchanged[thread / lanes * lanes + lane];
  meet(warp, lanes);
  return y;
}

using kernel = void (*)(void* const* parameters);
inline kernel called;
inline void* const* parameters_of_call;

inline void fiber_body() {
  called(parameters_of_call);
  current->done = true;
  yield();
}

inline void run_block(unsigned threads) {
  fibers.resize(threads);
  warps.assign((threads + lanes - 1) / lanes, {});
  exchanged.assign(threads, 0);
  all = {};
  for (unsigned i = 0; i < threads; ++i) {
    auto& x = fibers[i];
    x.stack.resize(stack_bytes);
    x.thread.x = i;
    x.done = false;
    getcontext(&x.context);
    x.context.uc_stack.ss_sp = x.stack.data();
    x.context.uc_stack.ss_size = x.stack.size();
    x.context.uc_link = nullptr;
    makecontext(&x.context, fiber_body, 0);
  }
  for (unsigned left = threads; left > 0;) {
    left = 0;
    for (auto& x : fibers) {
      if (x.done) continue;
      current = &x;
      swapcontext(&scheduler, &x.context);
      left += !x.done;
    }
  }
}

inline void run(kernel function, void* const* parameters, unsigned blocks, unsigned threads) {
  called = function;
  parameters_of_call = parameters;
  grid.x = blocks;
  for (block.x = 0; block.x < blocks; ++block.x) run_block(threads);
}

template <class... T, std::size_t... i>
void call(void (*function)(T*...), void* const* parameters, std::index_sequence<i...>) {
  function(static_cast<T*>(parameters[i])...);
}
template <class... T>
void call(void (*function)(T*...), void* const* parameters) {
  call(function, parameters, std::index_sequence_for<T...>{});
}

// -- numbers

inline float half_to_float(std::uint16_t bits) {
  _Float16 x;
  std::memcpy(&x, &bits, 2);
  return static_cast<float>(x);
}
inline std::uint16_t float_to_half(float x) {
  auto y = static_cast<_Float16>(x);
  std::uint16_t bits;
  std::memcpy(&bits, &y, 2);
  return bits;
}
inline std::uint16_t float_to_bfloat(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  if (x != x) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
inline float maximum(float a, float b) { return a != a || a > b ? a : b; }
inline float minimum(float a, float b) { return a != a || a < b ? a : b; }

}  // namespace emulated

#define threadIdx emulated::current->thread
#define blockIdx emulated::block
#define gridDim emulated::grid

inline void __syncthreads() { emulated::meet(emulated::all, static_cast<int>(emulated::fibers.size())); }
inline void __syncwarp() { emulated::from_lane(0, 0); }
inline unsigned __shfl_xor_sync(unsigned, unsigned x, int mask) {
  return emulated::from_lane(x, (threadIdx.x % 32) ^ static_cast<unsigned>(mask));
}
inline unsigned __shfl_sync(unsigned, unsigned x, int lane) {
  return emulated::from_lane(x, static_cast<unsigned>(lane));
}
template <class T>
void __stcs(T* to, T x) {
  *to = x;
}
inline float __uint_as_float(unsigned bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline unsigned __float_as_uint(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
inline float __double2float_rz(double x) {
  auto y = static_cast<float>(x);
  return std::fabs(static_cast<double>(y)) > std::fabs(x) ? std::nextafterf(y, 0.0f) : y;
}
