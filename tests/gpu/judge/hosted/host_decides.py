"""The host reads the device's data and decides by it which kernel runs.

task: relu
expect: passed
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


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [2048, 4096]

    def forward(self, x):
        y = torch.empty_like(x)
        while len(self.blocks) > 0:  # both are compiled in the first call
            block = self.blocks.pop()
            relu[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        block = 4096 if float(x[0, 0]) > 0 else 2048
        relu[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        return y
