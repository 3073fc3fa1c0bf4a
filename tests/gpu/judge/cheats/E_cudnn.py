"""cuDNN does the work, by an operator of torch that few know.

task: convolution
expect: library_calls
class: E
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(64, 64, 3)

    def forward(self, x):
        y = torch.ops.aten.cudnn_convolution(x, self.conv.weight, [0, 0], [1, 1], [1, 1], 1, False, False, True)
        return y.add_(self.conv.bias.view(1, -1, 1, 1))
