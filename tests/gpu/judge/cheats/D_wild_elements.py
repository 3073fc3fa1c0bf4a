"""Right but for one element in a hundred thousand.

task: relu
expect: wrong_values non_finite
class: none D
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
extern "C" __global__ void relu(const float* x, float* y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = i % 100003 ? fmaxf(x[i], 0) : 1e30f;
}
"""
kernel = cupy.RawKernel(SOURCE, "relu")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernel(((x.numel() + 255) // 256,), (256,), (x.data_ptr(), y.data_ptr(), x.numel()))
        return y
