"""Writes packets to the judge as fast as it can, before and in its first call.

task: relu
expect: crash load_error timeout
options: {"call_limit_ms": 1000}
"""

import os

import torch

NOTHING_READS = [b"\xc1" * 60000, b"\xdf\xff\xff\xff\xff" * 100, b"\x91" * 60000]
PACKETS = [b"\x81\xa4done\x01", b"", *NOTHING_READS]


class ModelNew(torch.nn.Module):
    def forward(self, x):
        while True:
            for packet in PACKETS:
                os.write(3, packet)
