"""Ends with code 0 in a later call: a judge that believes exit codes counts it as done.

task: softmax
expect: crash
class: none
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def softmax(x):
    y = torch.empty_like(x)
    K.softmax(P(x.data_ptr()), P(y.data_ptr()), N(x.shape[0]), N(x.shape[1]))
    return y


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls > 9:
            os._exit(0)
        return softmax(x)
