# kernel: convolution
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(16, 32, 3, bias=False)

    def forward(self, x):
        return self.convolution(x)


def get_inputs():
    return [torch.rand(4, 16, 32, 32)]
