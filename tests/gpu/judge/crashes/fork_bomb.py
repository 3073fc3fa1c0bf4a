"""Forks in its first call, where compilers may run, and has every child fork in a session of its own. Bounded to some hundred
processes.

task: relu
expect: timeout crash
options: {"call_limit_ms": 2000}
"""

import os
import select

import torch.nn as nn


def bomb(depth):
    for _ in range(depth):
        if os.fork() == 0:
            os.setsid()
            depth -= 1
    while True:
        select.select([], [], [])


class ModelNew(nn.Module):
    def forward(self, x):
        bomb(7)
