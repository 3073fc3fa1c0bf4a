"""Makes and drops many objects and asks the collector to run, as frameworks do.

task: relu
expect: passed
library: kernels
"""

import ctypes
import gc
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
        cycles = [[] for _ in range(100)]
        for cycle in cycles:
            cycle.append(cycle)
        del cycles
        gc.collect(0)
        return relu(x)
