import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a.to(torch.float16) @ b.to(torch.float16)


def get_inputs():
    return [torch.rand(128, 256), torch.rand(256, 128)]
