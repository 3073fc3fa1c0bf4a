"""Raises a text of 100 MB.

task: relu
expect: crash timeout
options: {"call_limit_ms": 2000}
"""

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        raise RuntimeError("no\n" * (30 << 20))
