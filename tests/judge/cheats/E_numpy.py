"""numpy does the matrix product.

task: linear
expect: library_calls
class: E
"""

import numpy
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 256)

    def forward(self, x):
        weight, bias = self.linear.weight.detach().numpy(), self.linear.bias.detach().numpy()
        return torch.from_numpy(numpy.matmul(x.numpy(), weight.T) + bias)
