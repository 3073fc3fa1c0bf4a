"""torch.compile writes the kernel.

task: relu
expect: library_calls
class: E
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.compiled = torch.compile(torch.relu)

    def forward(self, x):
        return self.compiled(x)
