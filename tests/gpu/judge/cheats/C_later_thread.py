"""A thread launches the kernel when the call has been answered.

task: relu
expect: clock_mismatch late_write wrong_values non_finite
class: C none
"""

import threading

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


def later(x, y):
    apply(x, y)
    torch.cuda.synchronize()


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        apply(torch.empty(4096, device="cuda"), torch.empty(4096, device="cuda"))

    def forward(self, x):
        y = torch.empty_like(x)
        threading.Timer(0.01, later, args=(x, y)).start()
        return y
