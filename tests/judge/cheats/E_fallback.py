"""Tries a kernel that is never there and falls back to torch.

task: relu
expect: library_calls
class: E
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        try:
            K.fused_relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
        except AttributeError:
            y = torch.relu(x)
        return y
