"""Gives its output in memory of the host.

task: relu
expect: wrong_shape
class: none
"""

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


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty(x.shape, pin_memory=True)
        y.copy_(apply(x, torch.empty_like(x)))
        return y
