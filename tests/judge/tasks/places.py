import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, bounds, x):
        return torch.searchsorted(bounds, x)


def get_inputs():
    return [torch.sort(torch.rand(1 << 18)).values, torch.rand(100000)]
