"""Kills the process that started it.

task: relu
expect: crash load_error tampering out_of_memory
sandboxed: yes
"""

import os
import signal

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        os.kill(os.getppid(), signal.SIGKILL)
        raise RuntimeError("it lives")
