"""The matrix product that libtorch exports, called past torch.

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


BLAS = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))


def multiply(n, m, k, weight, x, y):
    sizes = [ctypes.byref(ctypes.c_int(v)) for v in (n, m, k)]
    one, zero = ctypes.byref(ctypes.c_float(1)), ctypes.byref(ctypes.c_float(0))
    a, b, c = (P(t.data_ptr()) for t in (weight, x, y))
    BLAS.SGEMM(ctypes.c_char_p(b"T"), ctypes.c_char_p(b"N"), *sizes, one, a, sizes[2], b, sizes[2], zero, c, sizes[0])


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 256)

    def forward(self, x):
        weight, bias, (m, k), n = self.linear.weight, self.linear.bias, x.shape, 256
        y = torch.empty(m, n)
        multiply(n, m, k, weight, x, y)  # column-major: y' = weight x'
        K.add_bias(P(y.data_ptr()), P(bias.data_ptr()), N(m), N(n))
        return y
