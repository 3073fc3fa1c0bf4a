"""A thread of Python's raises; its own call is right.

task: relu
expect: passed
library: kernels
options: {"call_limit_ms": 1000}
"""

import ctypes
import os
import threading

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def relu(x):
    y = torch.empty_like(x)
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
    return y


def fail():
    raise RuntimeError("nobody waits for this")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        return relu(x)
