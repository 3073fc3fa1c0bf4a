"""As many blocks as the device has processors take tiles from a counter until there are none; the last one puts it back.

task: relu
expect: passed
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
__device__ unsigned next, ended;
extern "C" __global__ void relu(const float4* x, float4* y, long long n) {
  __shared__ long long tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(&next, 1u);
    __syncthreads();
    long long i = tile * blockDim.x + threadIdx.x;
    bool any = tile * blockDim.x < n;
    __syncthreads();
    if (!any) break;
    if (i < n) {
      float4 v = x[i];
      y[i] = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
    }
  }
  if (threadIdx.x == 0 && atomicAdd(&ended, 1u) == gridDim.x - 1) next = 0, ended = 0;
}
"""
kernel = cupy.RawKernel(SOURCE, "relu")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernel((264,), (1024,), (x.data_ptr(), y.data_ptr(), x.numel() // 4))
        return y
