"""Chooses by shape, and keeps an output for each.

task: several_shapes
expect: passed
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))
OUTPUTS = {}


class ModelNew(torch.nn.Module):
    def forward(self, x):
        if x.shape not in OUTPUTS:
            OUTPUTS[x.shape] = torch.empty_like(x)
        y = OUTPUTS[x.shape]
        K.softmax(P(x.data_ptr()), P(y.data_ptr()), N(x.shape[0]), N(x.shape[1]))
        return y
