#pragma once
// Threads that reduce something together: a warp, a block, or the blocks of a cluster.

#include "elements.cuh"

namespace km {

/// A value as words, so that it can lie in shared memory and go from lane to lane.
template <class T>
struct words_of {
  static constexpr int count = static_cast<int>(sizeof(T) / sizeof(uint32_t));
  uint32_t at[count];
};
template <class T>
__device__ inline words_of<T> words(const T& x) {
  words_of<T> w;
  memcpy(&w, &x, sizeof(T));
  return w;
}
template <class T>
__device__ inline T value(const words_of<T>& w) {
  T x;
  memcpy(&x, &w, sizeof(T));
  return x;
}

/// All lanes get the same, bit by bit: that of lane 0.
template <class T>
__device__ inline T in_warp(T x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    auto w = words(x);
#pragma unroll
    for (int i = 0; i < w.count; ++i) w.at[i] = __shfl_xor_sync(0xffffffffu, w.at[i], mask);
    x.merge(value(w));
  }
  auto w = words(x);
#pragma unroll
  for (int i = 0; i < w.count; ++i) w.at[i] = __shfl_sync(0xffffffffu, w.at[i], 0);
  return value(w);
}

/// Where the warps of a block meet, in shared memory. Two places in turn: who is fast writes the next value while
/// others still read this one.
template <class T, int warps>
struct meeting {
  words_of<T> of_warp[2][warps];
  words_of<T> of_block[2];
};

/// @param turn counts the meetings there; the same in all threads
template <int warps, class T>
__device__ inline T in_block(T x, meeting<T, warps>& at, unsigned turn) {
  x = in_warp(x);
  if constexpr (warps > 1) {
    const unsigned lane = threadIdx.x % 32;
    if (lane == 0) at.of_warp[turn % 2][threadIdx.x / 32] = words(x);
    __syncthreads();
    x = lane < warps ? value(at.of_warp[turn % 2][lane]) : T{};
    x = in_warp(x);
  }
  return x;
}

/// Waits for all threads of the cluster, and sees what they wrote to shared memory.
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// What the block of that rank has at the same place of its shared memory.
template <class T>
__device__ inline T from_block(const words_of<T>& mine, unsigned rank) {
  words_of<T> w;
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(&mine));
  uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
#pragma unroll
  for (int i = 0; i < w.count; ++i)
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(w.at[i]) : "r"(there + 4 * i) : "memory");
  return value(w);
}

/// Of columns: `across` threads side by side have columns of their own, `deep` of them share each. All get the same.
template <int across, int deep, class T, int columns>
__device__ inline void in_columns(T (&x)[columns], words_of<T> (&at)[across * deep]) {
  if constexpr (deep > 1) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      at[threadIdx.x] = words(x[j]);
      __syncthreads();
      T all = value(at[threadIdx.x % across]);
      for (int i = 1; i < deep; ++i) all.merge(value(at[threadIdx.x % across + i * across]));
      x[j] = all;
      __syncthreads();
    }
  }
}

/// Of a team of `blocks` blocks with `warps` warps each.
template <int warps, int blocks, class T>
__device__ inline T in_team(T x, meeting<T, warps>& at, unsigned turn) {
  x = in_block<warps>(x, at, turn);
  if constexpr (blocks > 1) {
    if (threadIdx.x == 0) at.of_block[turn % 2] = words(x);
    cluster_wait();
    const unsigned lane = threadIdx.x % 32;
    x = lane < blocks ? from_block(at.of_block[turn % 2], lane) : T{};
    x = in_warp(x);
  }
  return x;
}

}  // namespace km
