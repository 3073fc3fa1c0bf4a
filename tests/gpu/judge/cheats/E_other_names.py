"""torch does the work, by the names that its own functions call it.

task: relu
expect: library_calls
class: E
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        torch.ops.aten.threshold.out(x, 0, 0, out=y)
        return y
