"""Tasks in KernelBench form, small enough for tests."""

from __future__ import annotations

TASK = '''"""{name}: written by a test."""

import torch
from torch import nn

ROWS = {rows}
COLUMNS = {columns}


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bias = {bias}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return {expression}


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
'''

CANDIDATE = """
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return {expression}
"""

ELEMENTWISE = {
    "relu": "torch.relu(x)",
    "leaky_relu": "nn.functional.leaky_relu(x, negative_slope=0.01)",
    "sigmoid": "torch.sigmoid(x)",
    "tanh": "torch.tanh(x)",
    "swish": "x * torch.sigmoid(x)",
    "gelu": "nn.functional.gelu(x)",
    "selu": "torch.selu(x)",
    "softplus": "nn.functional.softplus(x)",
    "softsign": "x / (1 + torch.abs(x))",
    "elu": "nn.functional.elu(x, alpha=1.0)",
    "hardtanh": "nn.functional.hardtanh(x, min_val=-1.0, max_val=1.0)",
}


def task(name: str, expression: str = "", rows: int = 512, columns: int = 512, bias: bool = False) -> str:
    """A task of one element-wise expression of x: 1 MiB in float32 by default; self.bias is as long as a row."""
    parameter = "nn.Parameter(torch.randn(COLUMNS))" if bias else "None"
    text = expression or ELEMENTWISE[name]
    return TASK.format(name=name, expression=text, rows=rows, columns=columns, bias=parameter)
