"""A launch that the driver refuses.

task: relu
expect: crash load_error
"""

import triton
import triton.language as tl
import torch
import torch.nn as nn


@triton.jit
def nothing(x):
    tl.store(x, 1.0)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        nothing[(1, 1 << 20, 1)](y)
        return y
