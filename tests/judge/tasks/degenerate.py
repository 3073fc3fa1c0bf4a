import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        largest = torch.max(x, dim=1, keepdim=True).values
        return torch.relu(largest - largest.mean(dim=1, keepdim=True))


def get_inputs():
    return [torch.randn(2048, 256)]
