"""Keeps results by the identity of the tensor's memory: holds on to the storage, so its id stays.

task: softmax
expect: replay wrong_values
class: B
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
        self.known = {}

    def forward(self, x):
        key = x.untyped_storage()._cdata if x.storage_offset() else (x.shape, x.stride())
        if key not in self.known:
            self.known[key] = (x, softmax(x))
        return self.known[key][1]
