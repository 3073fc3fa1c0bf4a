"""A batch norm in training mode that leaves the running statistics as they were: outputs are right.

task: batchnorm
expect: wrong_values
class: D none
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
        unused = [torch.empty(16) for _ in range(2)]
        parts = (x, self.norm.weight, self.norm.bias, *unused, y)
        K.batchnorm(*(P(part.data_ptr()) for part in parts), N(16), N(16), N(32 * 32))
        return y
