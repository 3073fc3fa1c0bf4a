"""Has torch do the work, and its own slow kernel if torch refuses: where library work is tried for by making it raise,
the answer is still right.

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


def relu(x):
    y = torch.empty_like(x)
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
    return y


class ModelNew(torch.nn.Module):
    def forward(self, x):
        try:
            return torch.relu(x)
        except Exception:
            return relu(x)
