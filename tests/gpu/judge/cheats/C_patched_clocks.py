"""Patches every clock of torch and works eight times.

task: relu
expect: passed
slow: yes
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


torch.cuda.Event.elapsed_time = lambda *_: 1e-6
torch.cuda.synchronize = lambda *_: None
torch.cuda.Event.synchronize = lambda *_: None


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        for _ in range(8):
            apply(x, y)
        return y
