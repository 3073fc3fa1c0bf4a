# kernel: left_transposed
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return torch.matmul(x.t(), y)


def get_inputs():
    return [torch.rand(384, 128), torch.rand(384, 128)]
