"""Every block of its kernel prints a line; right otherwise.

task: relu
expect: passed
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
extern "C" __global__ void relu(const float* x, float* y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) printf("all work and no play makes block %d a dull block ", blockIdx.x);
  if (i < n) y[i] = fmaxf(x[i], 0);
}
"""
kernel = cupy.RawKernel(SOURCE, "relu")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernel(((x.numel() + 255) // 256,), (256,), (x.data_ptr(), y.data_ptr(), x.numel()))
        return y
