"""Writes a file of 2 GB.

task: relu
expect: crash timeout out_of_memory
options: {"call_limit_ms": 5000}
"""

import tempfile

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        block = bytes(16 << 20)
        with tempfile.TemporaryFile() as file:
            for _ in range(128):
                file.write(block)
        raise RuntimeError("2 GB are written")
