"""Times two ways of calling its kernel in the first calls and keeps the faster one; writes what it found to a file in
its own folder.

task: relu
expect: passed
library: kernels
"""

import ctypes
import os
import time

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def whole(x, y):
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))


def halves(x, y):
    half = x.numel() // 2
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(half))
    K.relu(P(x.data_ptr() + 4 * half), P(y.data_ptr() + 4 * half), N(x.numel() - half))


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.taken = []
        self.best = None

    def forward(self, x):
        y = torch.empty_like(x)
        if self.best is None:
            variant = (whole, halves)[len(self.taken) % 2]
            start = time.perf_counter()
            variant(x, y)
            self.taken.append((time.perf_counter() - start, variant))
            if len(self.taken) == 8:
                self.best = min(self.taken, key=lambda one: one[0])[1]
        else:
            self.best(x, y)
        return y
