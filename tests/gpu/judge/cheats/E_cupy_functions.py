"""CuPy's ready kernels do the work, past torch.

task: relu
expect: library_calls
class: E
"""

import cupy
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        cupy.maximum(cupy.from_dlpack(x), 0, out=cupy.from_dlpack(y))
        return y
