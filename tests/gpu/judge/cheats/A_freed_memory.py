"""Gives memory that nothing was written to.

task: relu
expect: wrong_values non_finite replay
class: none B D
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.empty_like(x)
