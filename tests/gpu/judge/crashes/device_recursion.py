"""A kernel that calls itself until its stack is full.

task: relu
expect: crash load_error timeout
options: {"call_limit_ms": 4000}
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
__device__ __noinline__ float deeper(volatile float* y, float x) {
  volatile float here[64];
  for (int i = 0; i < 64; ++i) here[i] = y[i] + x;
  return here[(int)x & 63] + deeper(y, x + 1) + here[0];
}
extern "C" __global__ void f(volatile float* y) { y[threadIdx.x] = deeper(y, y[0]); }
"""
kernel = cupy.RawKernel(SOURCE, "f")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernel((1,), (32,), (y.data_ptr(),))
        return y
