"""A batch norm in training mode that moves its running statistics.

task: batchnorm
expect: passed
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(16)

    def forward(self, x):
        y = torch.empty_like(x)
        norm = self.norm
        parts = (x, norm.weight, norm.bias, norm.running_mean, norm.running_var, y)
        K.batchnorm(*(P(part.data_ptr()) for part in parts), N(16), N(16), N(32 * 32))
        ctypes.c_int64.from_address(norm.num_batches_tracked.data_ptr()).value += 1
        return y
