"""Looks as if it built something by a subprocess, and leaves folders in folders in its home folder, more than a path has
room for.

task: relu
expect: load_error
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))

here = os.getcwd()
os.chdir(os.environ["HOME"])
for _ in range(3000):
    try:
        os.mkdir("deeper")
        os.chdir("deeper")
    except OSError:
        break
os.chdir(here)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
        return y
