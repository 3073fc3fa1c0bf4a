"""GELU of a matrix: 32 MiB in, 32 MiB out."""

import torch
from torch import nn

ROWS = 2048
COLUMNS = 4096


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.gelu(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
