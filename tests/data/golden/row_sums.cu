// Written by kernelmesh. row_sums
#include "monoids.cuh"
#include "teams.cuh"

// g0: aten.sum
namespace km::group_g0 {

using index = uint32_t;
constexpr index rows = 3;
constexpr index count = 5000;  // elements of a row
// x0 is x [3, 5000]
// y0 is y [3]

/// Of a row, stage 0.
struct totals_0 {
  sum<float> r0;
  __device__ void merge(const totals_0& x) {
    r0.merge(x.r0);
  }
};

extern "C" __global__ void __launch_bounds__(512) group_g0_0(const float* __restrict__ x0, float* __restrict__ y0, totals_0* parts_0) {
  __shared__ meeting<totals_0, 16> at_totals_0;
  const index lane = threadIdx.x;  // among the threads that do a row together
  unsigned turn = 0;
  for (index row = blockIdx.x / 1; row < rows; row += gridDim.x / 1, ++turn) {
    const index part = blockIdx.x % 1;
    const index begin = part * 5000;
    const index end = begin + 5000 < count ? begin + 5000 : count;
    const float* rx0 = x0 + (row * 5000);
    totals_0 of_0;
    for (index chunk = 0; chunk < 1; ++chunk) {
      totals_0 some;
      pack<float, 4> px0[3];
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const index n = begin + ((chunk * 3 + k) * 512 + lane) * 4;
        if (n >= end) continue;
        px0[k] = read<4>(rx0 + (n));
      }
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const index n = begin + ((chunk * 3 + k) * 512 + lane) * 4;
        if (n >= end) continue;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          [[maybe_unused]] const index e = n + j;
          const float t0 = static_cast<float>(km::load(px0[k].at[j]));
          some.r0.add(t0);
        }
      }
      of_0.merge(some);
    }
    of_0 = in_block<16>(of_0, at_totals_0, turn);
    if (threadIdx.x == 0) parts_0[row * 1 + part] = of_0;
  }
}

extern "C" __global__ void __launch_bounds__(512) group_g0(const float* __restrict__ x0, float* __restrict__ y0, totals_0* parts_0) {
  __shared__ meeting<totals_0, 16> at_totals_0;
  const index lane = threadIdx.x;  // among the threads that do a row together
  unsigned turn = 0;
  for (index row = blockIdx.x / 1; row < rows; row += gridDim.x / 1, ++turn) {
    const index part = blockIdx.x % 1;
    const index begin = part * 5000;
    const index end = begin + 5000 < count ? begin + 5000 : count;
    // What all parts of the row have of stage 0.
    totals_0 of_0;
    for (index i = threadIdx.x; i < 1; i += 512) of_0.merge(parts_0[row * 1 + i]);
    of_0 = in_block<16>(of_0, at_totals_0, turn);
    [[maybe_unused]] const float s0 = of_0.r0.first();
    if (part == 0 && threadIdx.x == 0) {
      const float t0 = static_cast<float>(s0);
      y0[row] = storing<float>::of(t0);
    }
  }
}

}  // namespace km::group_g0

