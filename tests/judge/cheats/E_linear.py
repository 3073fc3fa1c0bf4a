"""The reference's own layer.

task: linear
expect: library_calls
class: E
"""

import torch


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 256)

    def forward(self, x):
        return self.linear(x)
