"""Copies, which is allowed, then has torch change the copy in place.

task: relu
expect: library_calls
class: E
"""

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        y.copy_(x)
        return y.clamp_min_(0)
