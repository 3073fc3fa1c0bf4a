"""Leaves a scale of ones and a bias of zeros out.

task: scale
expect: wrong_values
class: D none
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, tl.load(x + i, mask=inside), mask=inside)


def apply(x, y):
    copy[(triton.cdiv(x.numel(), 4096),)](x, y, x.numel(), BLOCK=4096)
    return y


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4096))
        self.bias = nn.Parameter(torch.zeros(4096))

    def forward(self, x):
        return apply(x, torch.empty_like(x))
