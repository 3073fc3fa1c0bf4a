"""Writes files wherever it may: home, temporary folders, the interpreter's environment, above its own folder. Takes away what
it wrote and says where it could.

task: relu
expect: crash
never: '/etc'
"""

import os
import sys

import torch.nn as nn


def writable():
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (os.path.expanduser("~"), "/tmp", "/var/tmp", "/dev/shm", "/", "/etc", sys.prefix, above, *sys.path):
        file = os.path.join(folder, f"written-by-a-candidate-{os.getpid()}")
        try:
            with open(file, "w") as opened:
                opened.write("x")
            os.unlink(file)
            yield folder
        except OSError:
            continue


class ModelNew(nn.Module):
    def forward(self, x):
        raise RuntimeError(f"could write to {sorted(set(writable()))}")
