"""Weights and a bias.

task: scale
expect: passed
weights: any
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale(x, w, b, y, n, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    c = i % columns
    v = tl.load(x + i, mask=inside) * tl.load(w + c, mask=inside) + tl.load(b + c, mask=inside)
    tl.store(y + i, v, mask=inside)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4096))
        self.bias = nn.Parameter(torch.zeros(4096))

    def forward(self, x):
        y = torch.empty_like(x)
        scale[(triton.cdiv(x.numel(), 2048),)](x, self.weight, self.bias, y, x.numel(), x.shape[1], BLOCK=2048)
        return y
