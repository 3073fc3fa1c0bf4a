"""torch does the work by one of its operators on lists.

task: relu
expect: library_calls
class: E
"""

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        (y,) = torch._foreach_clamp_min([x], 0.0)
        return y
