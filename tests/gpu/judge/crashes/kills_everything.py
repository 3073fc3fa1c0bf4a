"""Kills every process that it can see, itself last. Without a sandbox it would see those of others.

task: relu
expect: crash
sandboxed: yes
"""

import os
import signal

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        pids = [int(x) for x in os.listdir("/proc") if x.isdigit() and int(x) != os.getpid()]
        if len(pids) > 64:
            raise RuntimeError("it sees processes that are not the sandbox's")
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        os.kill(os.getpid(), signal.SIGKILL)
