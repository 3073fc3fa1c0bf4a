"""Prints as much as it can, on both streams, for half a second of each call; right otherwise.

task: relu
expect: passed
library: kernels
options: {"call_limit_ms": 1000}
"""

import ctypes
import os
import time

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def relu(x):
    y = torch.empty_like(x)
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
    return y


LINE = b"all work and no play makes a candidate a dull kernel " * 1000


class ModelNew(torch.nn.Module):
    def forward(self, x):
        end = time.monotonic() + 0.05
        while time.monotonic() < end:
            os.write(1, LINE)
            os.write(2, LINE)
        return relu(x)
