"""Leaves children behind that outlive it in sessions of their own, and is right itself.

task: relu
expect: passed crash tampering library_calls
library: kernels
options: {"call_limit_ms": 1000}
"""

import ctypes
import os
import select

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def relu(x):
    y = torch.empty_like(x)
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
    return y


class ModelNew(torch.nn.Module):
    def forward(self, x):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    select.select([], [], [])
            os._exit(0)
        return relu(x)
