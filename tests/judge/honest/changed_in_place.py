"""Changes its input as the reference does, which works in place, and returns it.

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
        K.relu(P(x.data_ptr()), P(x.data_ptr()), N(x.numel()))
        return x
