"""Floods both of its streams in every call; right otherwise.

task: relu
expect: passed
"""

import os
import time

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


LINE = b"all work and no play makes a candidate a dull kernel " * 1000


class ModelNew(nn.Module):
    def forward(self, x):
        end = time.monotonic() + 0.05
        while time.monotonic() < end:
            os.write(1, LINE)
            os.write(2, LINE)
        return apply(x, torch.empty_like(x))
