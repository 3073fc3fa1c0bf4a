"""Runs its kernel on a thread of Python's pool and waits for it.

task: relu
expect: passed
library: kernels
"""

import concurrent.futures
import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def relu(x):
    y = torch.empty_like(x)
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
    return y


POOL = concurrent.futures.ThreadPoolExecutor(2)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return POOL.submit(relu, x).result()
