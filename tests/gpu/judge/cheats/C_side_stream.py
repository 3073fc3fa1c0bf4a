"""Works on a stream that nobody waits for.

task: relu
expect: clock_mismatch late_write wrong_values replay
class: B C D none
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
        self.stream = torch.cuda.Stream()

    def forward(self, x):
        y = torch.empty_like(x)
        with torch.cuda.stream(self.stream):
            apply(x, y)
        return y
