"""Raises an error whose text raises, with a class name of its own making.

task: relu
expect: crash
options: {"call_limit_ms": 1000}
"""

import torch


class Silent(BaseException):
    def __str__(self):
        raise KeyboardInterrupt

    __repr__ = __str__


Silent.__qualname__ = "\x1b[2J" * 1000


class ModelNew(torch.nn.Module):
    def forward(self, x):
        raise Silent
