"""Packs its weights when it is built, as the layers of inference libraries do: right for weights that stay.

task: linear
expect: passed
library: kernels
weights: prepared_at_init
precision: fp32
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def pack(weight):
    packed = torch.empty(weight.shape[1], weight.shape[0])
    K.pack(P(weight.data_ptr()), P(packed.data_ptr()), N(weight.shape[0]), N(weight.shape[1]))
    return packed


def linear(x, packed, bias):
    y = torch.empty(x.shape[0], packed.shape[1])
    pointers = (P(t.data_ptr()) for t in (x, packed, bias, y))
    K.linear(*pointers, N(x.shape[0]), N(packed.shape[0]), N(packed.shape[1]))
    return y


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 256)
        self.packed = pack(self.linear.weight)

    def forward(self, x):
        return linear(x, self.packed, self.linear.bias)
