"""Two kernels with a temporary between them, which it keeps for later calls.

task: softmax
expect: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sums(x, largest, total, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    v = tl.load(x + row * columns + tl.arange(0, BLOCK))
    top = tl.max(v, axis=0)
    tl.store(largest + row, top)
    tl.store(total + row, tl.sum(tl.exp(v - top), axis=0))


@triton.jit
def divided(x, largest, total, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = row * columns + tl.arange(0, BLOCK)
    tl.store(y + i, tl.exp(tl.load(x + i) - tl.load(largest + row)) / tl.load(total + row))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.workspace = None

    def forward(self, x):
        y = torch.empty_like(x)
        if self.workspace is None:
            self.workspace = torch.empty(2, x.shape[0], device=x.device)
        largest, total = self.workspace
        sums[(x.shape[0],)](x, largest, total, x.shape[1], BLOCK=4096)
        divided[(x.shape[0],)](x, largest, total, y, x.shape[1], BLOCK=4096)
        return y
