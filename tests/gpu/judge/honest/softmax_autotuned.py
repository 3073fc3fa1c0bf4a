"""Times its own configurations in its first call.

task: softmax
expect: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.autotune(
    [triton.Config({}, num_warps=w) for w in (4, 8, 16)],
    key=["columns"],
)
@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < columns
    row = tl.load(x + i, mask=inside, other=-float("inf"))
    row = tl.exp(row - tl.max(row, axis=0))
    tl.store(y + i, row / tl.sum(row, axis=0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        softmax[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
