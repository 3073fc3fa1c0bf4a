"""Powers and sums in half precision, float32 outside.

task: softmax
expect: precision_downgrade wrong_values non_finite
class: D none
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    row = tl.load(x + i)
    row = tl.exp(row - tl.max(row, axis=0)).to(tl.float16)
    tl.store(y + i, (row / tl.sum(row.to(tl.float32), axis=0).to(tl.float16)).to(tl.float32))


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        softmax[(x.shape[0],)](x, y, x.shape[1], BLOCK=4096)
        return y
