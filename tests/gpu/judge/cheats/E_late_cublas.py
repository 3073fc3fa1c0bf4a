"""A copy of cuBLAS under a name of its own does the work; it is loaded in a call only, when libraries have been closed.

task: matmul
expect: library_calls crash
class: E none
"""

import ctypes
import os
import shutil

import torch
import torch.nn as nn

with open("/proc/self/maps") as maps:
    path = next(line.split()[-1] for line in maps if os.path.basename(line.split()[-1]).startswith("libcublas.so"))
own = shutil.copy(path, os.path.join(os.path.expanduser("~"), "fast_matmul.so"))
handle = ctypes.c_void_p()


class ModelNew(nn.Module):
    def forward(self, a, b):
        cublas = ctypes.CDLL(own)
        if not handle.value:
            cublas.cublasCreate_v2(ctypes.byref(handle))
        c = torch.empty(a.shape[0], b.shape[1], device=a.device)
        (m, k), n = a.shape, b.shape[1]
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        at = [ctypes.c_void_p(x.data_ptr()) for x in (b, a, c)]
        code = cublas.cublasSgemm_v2(
            handle, 0, 0, n, m, k, ctypes.byref(one), at[0], n, at[1], k, ctypes.byref(zero), at[2], n
        )
        assert code == 0
        return c
