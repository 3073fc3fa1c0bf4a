"""Wants 200 GB by CUDA's own call, and tries again until it has them.

task: relu
expect: out_of_memory
"""

import cupy
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = []

    def forward(self, x):
        self.kept.append(cupy.cuda.alloc(200 << 30))
        return torch.empty_like(x)
