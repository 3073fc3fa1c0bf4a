"""Returns float16: half the bytes to write.

task: relu
expect: wrong_dtype
class: none D
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def relu(x):
    y = torch.empty_like(x)
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
    return y


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.empty(x.shape, dtype=torch.float16).copy_(relu(x))
