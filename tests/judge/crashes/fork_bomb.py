"""Forks and has every child fork, in sessions of their own; each stays. Bounded to some hundred processes.

task: relu
expect: timeout crash
options: {"call_limit_ms": 1000}
"""

import os
import select

import torch


def bomb(depth):
    for _ in range(depth):
        if os.fork() == 0:
            os.setsid()
            depth -= 1
    while True:
        select.select([], [], [])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        bomb(7)
