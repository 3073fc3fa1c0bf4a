"""A kernel in CUDA C++ that CuPy compiles by NVRTC.

task: relu
expect: passed
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
extern "C" __global__ void relu(const float4* x, float4* y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  y[i] = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
}
"""
kernel = cupy.RawKernel(SOURCE, "relu")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel() // 4
        kernel(((n + 255) // 256,), (256,), (x.data_ptr(), y.data_ptr(), n))
        return y
