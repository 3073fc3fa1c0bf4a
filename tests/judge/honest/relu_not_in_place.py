"""Leaves its input as it is where the reference works in place.

task: relu_in_place
expect: passed
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
        K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
        return y
