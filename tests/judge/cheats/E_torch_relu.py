"""torch does all of the work.

task: relu
expect: library_calls
class: E
"""

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
