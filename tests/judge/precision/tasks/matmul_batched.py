# kernel: batched
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return torch.bmm(x, y)


def get_inputs():
    return [torch.rand(8, 64, 128), torch.rand(8, 128, 64)]
