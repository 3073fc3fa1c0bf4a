import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.linalg.solve(a, b)


def get_inputs():
    return [torch.rand(192, 192) + 192 * torch.eye(192), torch.rand(192, 64)]
