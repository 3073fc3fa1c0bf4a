import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x < 0.999


def get_inputs():
    return [torch.rand(512, 1024)]
