import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4096))
        self.bias = nn.Parameter(torch.zeros(4096))

    def forward(self, x):
        return x * self.weight + self.bias


def get_inputs():
    return [torch.rand(4096, 4096)]
