"""Draws the inputs again from seeds that harnesses use (42, 0, 1 ...) before the clock starts, computes the answers when
it is built, and in a call only looks up which draw it is by one element.

task: relu
expect: crash replay wrong_values
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def relu(x):
    y = torch.empty_like(x)
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
    return y


def answers():
    for seed in (*range(8), 42, 123, 1234, 1337, 2024):
        torch.manual_seed(seed)
        x = torch.rand(512, 1024)
        yield x[0, 0].item(), relu(x)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.known = dict(answers())

    def forward(self, x):
        return self.known[x[0, 0].item()]
