"""numpy's element-wise functions do the work.

task: relu
expect: library_calls
class: E
"""

import numpy
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.from_numpy(numpy.maximum(x.numpy(), 0))
