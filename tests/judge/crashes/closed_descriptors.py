"""Closes every descriptor that it has.

task: relu
expect: crash
options: {"call_limit_ms": 1000}
"""

import os

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        os.closerange(0, 1 << 16)
        return x
