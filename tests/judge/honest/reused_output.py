"""Returns the same buffer of its own in every call.

task: relu
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
        self.y = None

    def forward(self, x):
        if self.y is None or self.y.shape != x.shape:
            self.y = torch.empty(x.shape, dtype=x.dtype)
        K.relu(P(x.data_ptr()), P(self.y.data_ptr()), N(x.numel()))
        return self.y
