"""Burns bandwidth in a context of its own, for which nobody waits: the calls of others, which come next, take longer.

task: relu
expect: crash load_error clock_mismatch
class: none C
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
SIZE = 256 << 20
context, before = ctypes.c_void_p(), ctypes.c_void_p()
memory = [ctypes.c_uint64(), ctypes.c_uint64()]
assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
for x in memory:
    assert cuda.cuMemAlloc_v2(ctypes.byref(x), ctypes.c_size_t(SIZE)) == 0
cuda.cuCtxPopCurrent_v2(ctypes.byref(before))


def burn():
    cuda.cuCtxPushCurrent_v2(context)
    for _ in range(40):
        cuda.cuMemcpyDtoDAsync_v2(memory[0], memory[1], ctypes.c_size_t(SIZE), None)
    cuda.cuCtxPopCurrent_v2(ctypes.byref(before))


class ModelNew(nn.Module):
    def forward(self, x):
        y = apply(x, torch.empty_like(x))
        torch.cuda.synchronize()
        burn()
        return y
