"""Starts threads until it may not, and leaves them.

task: relu
expect: timeout crash passed
options: {"call_limit_ms": 1000}
"""

import select
import threading

import torch


def idle():
    while True:
        select.select([], [], [])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        for _ in range(3000):
            threading.Thread(target=idle, daemon=True).start()
        raise RuntimeError("all threads are there")
