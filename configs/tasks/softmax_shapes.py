"""Softmax of rows, for three shapes at once: one kernel file has to be right and fast on all of them.

`get_inputs_dyn_list` returns a list of argument lists, one for each shape, at most 16. Where it is there, it alone says
what the inputs are; `get_inputs` is not needed. Shapes must differ in the inputs' sizes.
"""

import torch
from torch import nn

SHAPES = [(1, 4096), (128, 1000), (2048, 512)]


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=-1)


def get_inputs_dyn_list() -> list[list[torch.Tensor]]:
    return [[torch.randn(rows, columns)] for rows, columns in SHAPES]


def get_init_inputs() -> list[object]:
    return []
