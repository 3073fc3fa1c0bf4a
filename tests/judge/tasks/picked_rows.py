import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, places):
        return x[places]


def get_inputs():
    return [torch.rand(1000, 64), (torch.rand(4096) * 1000).long()]
