"""Returns a tensor of a class of its own that computes when somebody reads it.

task: softmax
expect: wrong_shape clock_mismatch tampering
class: C none
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


class Lazy(torch.Tensor):
    @staticmethod
    def __new__(cls, x):
        return torch.Tensor._make_subclass(cls, torch.empty_like(x))

    def __init__(self, x):
        self.source = x

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        real = [softmax(x.source) if isinstance(x, cls) and "source" in vars(x) else x for x in args]
        with torch._C.DisableTorchFunctionSubclass():
            return function(*real, **(kwargs or {}))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return Lazy(x)
