"""A choice between two tensors by a comparison: operators that only move data, nearly.

task: relu
expect: library_calls
class: E
"""

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.where(x > 0, x, torch.zeros(()))
