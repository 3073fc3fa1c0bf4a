"""Sends itself a signal that can't be caught.

task: relu
expect: out_of_memory crash
options: {"call_limit_ms": 1000}
"""

import os
import signal

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        os.kill(os.getpid(), signal.SIGKILL)
