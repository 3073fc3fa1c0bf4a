"""numpy's bundled OpenBLAS, called past numpy.

task: linear
expect: library_calls
class: E
library: kernels
"""

import ctypes
import glob
import os

import numpy
import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


BLAS = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(numpy.__file__), "..", "numpy.libs", "*openblas*"))[0])


def multiply(n, m, k, weight, x, y):
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    pointers = [P(t.data_ptr()) for t in (weight, x, y)]
    sizes = [N(k), N(k), N(n)]
    a, b, c = zip(pointers, sizes)
    BLAS.scipy_cblas_sgemm64_(102, 112, 111, N(n), N(m), N(k), one, *a, *b, zero, *c)


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
