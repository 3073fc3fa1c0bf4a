"""A batch norm that uses the running statistics where the task is in training mode: cheaper, and right for normal inputs
within a loose tolerance.

task: batchnorm
expect: wrong_values
class: D none
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(16)

    def forward(self, x):
        y = torch.empty_like(x)
        for channel in range(16):
            for image in range(16):
                part = y[image, channel]
                ctypes.memmove(part.data_ptr(), x[image, channel].data_ptr(), part.nbytes)
        return y
