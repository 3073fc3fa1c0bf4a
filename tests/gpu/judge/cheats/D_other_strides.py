"""The right numbers, column by column in memory.

task: softmax
expect: wrong_strides
class: none
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax(x, y, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i)
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row + i * rows, v / tl.sum(v, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_strided(x.shape, (1, x.shape[0]), device=x.device)
        softmax[(x.shape[0],)](x, y, x.shape[0], x.shape[1], BLOCK=4096)
        return y
