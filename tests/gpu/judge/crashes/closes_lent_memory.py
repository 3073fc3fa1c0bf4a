"""Gives the memory back in which its input was lent.

task: relu
expect: crash load_error
"""

import ctypes

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, tl.maximum(tl.load(x + i, mask=inside), 0.0), mask=inside)


def apply(x, y):
    relu[(triton.cdiv(x.numel(), 4096),)](x, y, x.numel(), BLOCK=4096)
    return y


cuda = ctypes.CDLL("libcuda.so.1")


class ModelNew(nn.Module):
    def forward(self, x):
        y = apply(x, torch.empty_like(x))
        torch.cuda.synchronize()
        cuda.cuIpcCloseMemHandle(ctypes.c_uint64(x.data_ptr()))
        return apply(x, y)
