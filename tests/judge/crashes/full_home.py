"""Looks as if it built something by a subprocess, and leaves files of a GiB each in its home folder. They have holes: who
copies them fills a disk.

task: relu
expect: load_error
sandboxed: yes
"""

import os

import torch

for i in range(3):
    with open(os.path.join(os.environ["HOME"], f"large{i}"), "wb") as file:
        file.truncate(1 << 30)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
