import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((1024,), 1e-6))

    def forward(self, x):
        return x + self.scale * torch.tanh(x)


def get_inputs():
    return [torch.rand(512, 1024)]
