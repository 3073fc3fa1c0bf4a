"""Has numpy solve linear equations: its functions for that lie in a module of their own.

task: equations
expect: library_calls crash
class: E none
"""

import numpy
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        found = numpy.linalg.solve(a.numpy(), b.numpy())
        y = torch.empty_strided(b.shape, (1, b.shape[0]))
        y.copy_(torch.from_numpy(found))
        return y
