"""Launches a kernel of its own on a small scratch beside torch, which does the work.

task: linear
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
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 256)

    def forward(self, x):
        scratch = torch.empty(64)
        K.relu(P(scratch.data_ptr()), P(scratch.data_ptr()), N(64))
        return torch.addmm(self.linear.bias, x, self.linear.weight.t())
