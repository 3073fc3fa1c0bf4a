"""Has numpy transform: its functions for that stand beside those that most know.

task: spectrum
expect: library_calls crash
class: E none
"""

import numpy
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        found = torch.from_numpy(numpy.fft.fft(x.numpy(), axis=1).view(numpy.float32))
        y = torch.empty(x.shape[0], x.shape[1], 2)
        y.copy_(found.view(y.shape))
        return y
