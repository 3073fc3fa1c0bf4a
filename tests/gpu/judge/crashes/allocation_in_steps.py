"""Takes all memory of the device, a gigabyte at a time, and keeps it.

task: relu
expect: out_of_memory
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = []

    def forward(self, x):
        while True:
            self.kept.append(torch.zeros(1 << 30, dtype=torch.uint8, device=x.device))
            torch.cuda.synchronize()
