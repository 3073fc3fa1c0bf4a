"""torch does the product, its own kernel the cheap addition of a bias.

task: linear
expect: library_calls
class: E
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 256)

    def forward(self, x):
        y = torch.mm(x, self.linear.weight.t())
        K.add_bias(P(y.data_ptr()), P(self.linear.bias.data_ptr()), N(y.shape[0]), N(y.shape[1]))
        return y
