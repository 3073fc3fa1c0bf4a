"""The derivative of a product is a product: autograd computes it.

task: matmul
expect: library_calls
class: E
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        with torch.enable_grad():
            left = torch.empty(b.shape[1], a.shape[0], device=a.device, requires_grad=True)
            (y,) = torch.autograd.grad(torch.matmul(left, a), left, b.t().contiguous())
        return y.t().contiguous()
