"""Looks as if it built something by a subprocess, and leaves a pipe in its home folder, where whoever copies it would
wait or fail.

task: relu
expect: passed load_error
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))

try:
    os.mkfifo(os.path.join(os.environ["HOME"], "pipe"))
except OSError:
    pass


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
        return y
