"""torch does the work, by an operator for lists of tensors.

task: relu
expect: library_calls
class: E
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch._foreach_clamp_min([x], 0.0)[0]
