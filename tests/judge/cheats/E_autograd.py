"""The derivative of a product is a product: autograd computes it, no operator is named in a call.

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
        weight, bias = self.linear.weight, self.linear.bias
        with torch.enable_grad():
            start = torch.empty(x.shape[0], 256, requires_grad=True)
            (y,) = torch.autograd.grad(start.matmul(weight.detach()), start, x)
        K.add_bias(P(y.data_ptr()), P(bias.data_ptr()), N(y.shape[0]), N(y.shape[1]))
        return y
