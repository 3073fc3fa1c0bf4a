"""The matrix product by oneDNN's operator, which is no operator of ATen's name space.

task: linear
expect: library_calls crash
class: E none
"""

import torch


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 256)

    def forward(self, x):
        return torch.ops.mkldnn._linear_pointwise(x, self.linear.weight, self.linear.bias, "none", [], "")
