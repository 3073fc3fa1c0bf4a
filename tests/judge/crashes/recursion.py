"""Recursion without end, in Python, with the limit taken away.

task: relu
expect: crash timeout
options: {"call_limit_ms": 1000}
"""

import sys

import torch

sys.setrecursionlimit(1 << 30)


def deeper(x):
    return deeper([x, lambda: x])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return deeper(x)
