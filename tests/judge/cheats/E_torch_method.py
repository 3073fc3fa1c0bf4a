"""torch does the work by a method with an output argument.

task: relu
expect: library_calls
class: E
"""

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0, out=torch.empty_like(x))
