"""Moves four numbers at once where one begins.

task: relu
expect: crash load_error
"""

import cupy
import torch
import torch.nn as nn


kernel = cupy.RawKernel('extern "C" __global__ void f(float4* y) { y[threadIdx.x] = y[threadIdx.x + 32]; }', "f")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernel((1,), (32,), (y.data_ptr() + 4,))
        return y
