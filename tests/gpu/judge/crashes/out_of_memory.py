"""Wants more than any card has.

task: relu
expect: out_of_memory
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.empty(400 << 30, dtype=torch.uint8, device=x.device)
