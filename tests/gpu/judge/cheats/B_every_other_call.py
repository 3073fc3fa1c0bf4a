"""Works in every other call; the one behind it gets the same answer.

task: relu
expect: replay wrong_values
class: B D none
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
    def __init__(self):
        super().__init__()
        self.calls, self.y = 0, None

    def forward(self, x):
        self.calls += 1
        if self.calls % 2:
            self.y = apply(x, torch.empty_like(x))
        return self.y
