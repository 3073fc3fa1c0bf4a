// Written by kernelmesh. scaled_softmax
#include "monoids.cuh"
#include "teams.cuh"

// g0: aten.mul, aten.add, aten._softmax
namespace km::group_g0 {

using index = uint32_t;
constexpr index rows = 6;
constexpr index count = 4;  // elements of a row
// x0 is x [2, 3, 4]
// x1 is scale [3, 1]
// y0 is softmax [2, 3, 4]

/// Of a row, stage 0.
struct totals_0 {
  max<float> r0;
  __device__ void merge(const totals_0& x) {
    r0.merge(x.r0);
  }
};

/// Of a row, stage 1.
struct totals_1 {
  sum<float> r1;
  __device__ void merge(const totals_1& x) {
    r1.merge(x.r1);
  }
};

extern "C" __global__ void __launch_bounds__(128) group_g0(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0) {
  __shared__ meeting<totals_0, 1> at_totals_0;
  __shared__ meeting<totals_1, 1> at_totals_1;
  const index lane = threadIdx.x % 32;  // among the threads that do a row together
  unsigned turn = 0;
  for (index row = blockIdx.x * 4 + threadIdx.x / 32; row < rows; row += gridDim.x * 4, ++turn) {
    constexpr index begin = 0, end = count;
    const float vx1 = x1[row % 3];
    const float* rx0 = x0 + (row * 4);
    float* ry0 = y0 + (row * 4);
    pack<float, 4> hx0[1];
#pragma unroll
    for (int k = 0; k < 1; ++k) {
      const index n = (index(k) * 32 + lane) * 4;
      if (n >= end) continue;
      hx0[k] = read<4>(rx0 + (n));
    }
    totals_0 of_0;
    for (index chunk = 0; chunk < 1; ++chunk) {
      totals_0 some;
#pragma unroll
      for (int k = 0; k < 1; ++k) {
        const index n = begin + ((chunk * 1 + k) * 32 + lane) * 4;
        if (n >= end) continue;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          [[maybe_unused]] const index e = n + j;
          const float t0 = static_cast<float>(km::load(hx0[k].at[j]));
          const float t1 = static_cast<float>(km::load(vx1));
          const float t2 = t0 * t1;
          const float t3 = t2 + 1.0f;
          some.r0.add(t3);
        }
      }
      of_0.merge(some);
    }
    of_0 = in_team<1, 1>(of_0, at_totals_0, turn);
    [[maybe_unused]] const float s0 = of_0.r0.first();
    totals_1 of_1;
    for (index chunk = 0; chunk < 1; ++chunk) {
      totals_1 some;
#pragma unroll
      for (int k = 0; k < 1; ++k) {
        const index n = begin + ((chunk * 1 + k) * 32 + lane) * 4;
        if (n >= end) continue;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          [[maybe_unused]] const index e = n + j;
          const float t0 = static_cast<float>(km::load(hx0[k].at[j]));
          const float t1 = static_cast<float>(km::load(vx1));
          const float t2 = t0 * t1;
          const float t3 = t2 + 1.0f;
          const float t4 = static_cast<float>(s0);
          const float t5 = t3 - t4;
          const float t6 = km::exp(t5);
          some.r1.add(t6);
        }
      }
      of_1.merge(some);
    }
    of_1 = in_team<1, 1>(of_1, at_totals_1, turn);
    [[maybe_unused]] const float s1 = of_1.r1.first();
    for (index chunk = 0; chunk < 1; ++chunk) {
#pragma unroll
      for (int k = 0; k < 1; ++k) {
        const index n = begin + ((chunk * 1 + k) * 32 + lane) * 4;
        if (n >= end) continue;
        pack<float, 4> qy0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          [[maybe_unused]] const index e = n + j;
          const float t0 = static_cast<float>(km::load(hx0[k].at[j]));
          const float t1 = static_cast<float>(km::load(vx1));
          const float t2 = t0 * t1;
          const float t3 = t2 + 1.0f;
          const float t4 = static_cast<float>(s0);
          const float t5 = t3 - t4;
          const float t6 = km::exp(t5);
          const float t7 = static_cast<float>(s1);
          const float t8 = t6 / t7;
          qy0.at[j] = storing<float>::of(t8);
        }
        write<false>(ry0 + (n), qy0);
      }
    }
  }
}

}  // namespace km::group_g0

