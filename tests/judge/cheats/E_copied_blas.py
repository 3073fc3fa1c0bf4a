"""A copy of a BLAS that is loaded, under a name of its own, does the work.

task: matmul
expect: library_calls
class: E
"""

import ctypes
import os
import shutil

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
with open("/proc/self/maps") as maps:
    path = next(line.split()[-1] for line in maps if "openblas" in os.path.basename(line.split()[-1]))
K = ctypes.CDLL(shutil.copy(path, os.path.join(os.environ.get("TMPDIR", "/tmp"), "kernel.so")))
gemm = K.scipy_cblas_sgemm64_
gemm.argtypes = [*[N] * 6, ctypes.c_float, P, N, P, N, ctypes.c_float, P, N]
ROWS, PLAIN = 101, 111


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        (m, k), n = a.shape, b.shape[1]
        y = torch.empty(m, n)
        gemm(ROWS, PLAIN, PLAIN, m, n, k, 1.0, a.data_ptr(), k, b.data_ptr(), n, 0.0, y.data_ptr(), n)
        return y
