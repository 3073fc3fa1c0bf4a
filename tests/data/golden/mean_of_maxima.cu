// Written by kernelmesh. mean_of_maxima
#include "monoids.cuh"
#include "teams.cuh"

// g0: aten.amax, aten.mean
namespace km::group_g0 {

using index = uint32_t;
constexpr index rows = 7;    // columns, in fact: points that are kept
constexpr index count = 5;  // elements of a column
// x0 is x [5, 7]
// y0 is mean []

/// Of a row, stage 0.
struct totals_0 {
  max<float> r0;
  __device__ void merge(const totals_0& x) {
    r0.merge(x.r0);
  }
};

/// Of all rows.
struct finals {
  sum<float> r1;
  __device__ void merge(const finals& x) {
    r1.merge(x.r1);
  }
};

extern "C" __global__ void __launch_bounds__(256) group_g0(const float* __restrict__ x0, float* __restrict__ y0, finals* parts_of_all) {
  __shared__ words_of<totals_0> at_totals_0[256];
  __shared__ meeting<finals, 8> at_finals;
  finals all;
  constexpr index columns = 256;  // of a block
  const index deep = threadIdx.x / 256;
  const index part = blockIdx.x % 1;
  for (index first = blockIdx.x / 1 * columns; first < rows; first += gridDim.x / 1 * columns) {
    const index row = first + threadIdx.x % 256 * 1;
    const index begin = part * 5;
    const index past = begin + 5 < count ? begin + 5 : count;
    const index end = row < rows ? past : begin;
    [[maybe_unused]] const float* rx0 = x0 + (row);
    totals_0 of_0[1];
    for (index chunk = 0; chunk < 1; ++chunk) {
      totals_0 some[1];
      pack<float, 1> px0[5];
#pragma unroll
      for (int k = 0; k < 5; ++k) {
        const index e = begin + (chunk * 5 + k) * 1 + deep;
        if (e >= end) continue;
        px0[k] = read<1>(rx0 + (e * 7));
      }
#pragma unroll
      for (int k = 0; k < 5; ++k) {
        const index e = begin + (chunk * 5 + k) * 1 + deep;
        if (e >= end) continue;
#pragma unroll
        for (int j = 0; j < 1; ++j) {
          const float t0 = static_cast<float>(km::load(px0[k].at[j]));
          some[j].r0.add(t0);
        }
      }
#pragma unroll
      for (int j = 0; j < 1; ++j) of_0[j].merge(some[j]);
    }
    in_columns<256, 1>(of_0, at_totals_0);
    [[maybe_unused]] float s0[1];
#pragma unroll
    for (int j = 0; j < 1; ++j) s0[j] = of_0[j].r0.first();
    if (deep == 0 && row < rows && part == 0) {
#pragma unroll
      for (int j = 0; j < 1; ++j) {
      const float t0 = static_cast<float>(s0[j]);
        all.r1.take(t0);
      }
    }
  }
  all = in_block<8>(all, at_finals, 0);
  if (threadIdx.x == 0 && blockIdx.x % 1 == 0) parts_of_all[blockIdx.x / 1] = all;
}

/// What is reduced over all rows.
extern "C" __global__ void __launch_bounds__(512) group_g0_last(const float* __restrict__ x0, float* __restrict__ y0, finals* parts_of_all) {
  __shared__ meeting<finals, 16> at_finals;
  finals all;
  for (index i = threadIdx.x; i < 1; i += 512) all.merge(parts_of_all[i]);
  all = in_block<16>(all, at_finals, 0);
  if (threadIdx.x != 0) return;
  [[maybe_unused]] const float s1 = all.r1.first();
  const float t0 = static_cast<float>(s1);
  const float t1 = t0 / 7.0f;
  y0[0] = storing<float>::of(t1);
}

}  // namespace km::group_g0

