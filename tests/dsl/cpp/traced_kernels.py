"""Kernels of whole models: traced, planned, written, built, and held against torch in float64."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import map_kernels
import torch
from kernelmesh_worker.trace import trace_model
from torch import nn

# Beside four times eager's own error: parts of the largest result that a type can't do without.
STEP = {torch.float64: 1e-14, torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}


class Function(nn.Module):
    """A function as a model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def said(folder: Path, model: nn.Module, *inputs: torch.Tensor, knobs: dict[str, Any] | None = None) -> str:
    """What the coder says of a model: empty where it wrote a kernel."""
    return map_kernels.write(folder, trace_model(model, list(inputs), "test"), knobs).strip()


def kernel(folder: Path, model: nn.Module, *inputs: torch.Tensor, knobs: dict[str, Any] | None = None) -> nn.Module:
    said(folder, model, *inputs, knobs=knobs)
    made = map_kernels.load(folder).ModelNew()
    if model.state_dict():
        made.load_state_dict(model.state_dict())
    return made


def in_double(model: nn.Module, *inputs: torch.Tensor) -> Any:
    wide = [x.double() if x.is_floating_point() else x for x in inputs]
    return copy.deepcopy(model).double()(*wide)


def listed(x: Any) -> list[torch.Tensor]:
    return list(x) if isinstance(x, (tuple, list)) else [x]


def compare(got: torch.Tensor, eager: torch.Tensor, oracle: torch.Tensor) -> None:
    """Form and non-finite elements as eager's; the rest within four times eager's error."""
    assert (got.dtype, got.shape, got.stride()) == (eager.dtype, eager.shape, eager.stride())
    if not got.is_floating_point():
        assert torch.equal(got, eager)
        return
    assert torch.equal(torch.isnan(got), torch.isnan(eager))
    infinite = torch.isinf(eager)
    assert torch.equal(got[infinite], eager[infinite])
    finite = torch.isfinite(eager)
    if not finite.any():
        return
    error = (got.double() - oracle).abs()[finite].max()
    own = (eager.double() - oracle).abs()[finite].max()
    assert error <= max(4 * own, STEP[got.dtype] * oracle[finite].abs().max()), (error, own)


def check(folder: Path, model: nn.Module, *inputs: torch.Tensor, knobs: dict[str, Any] | None = None) -> None:
    """The kernel of the model on these inputs, which it must not change."""
    before = [x.clone() for x in inputs]
    made = kernel(folder, model, *inputs, knobs=knobs)
    with torch.no_grad():
        results = zip(listed(made(*inputs)), listed(model(*inputs)), listed(in_double(model, *inputs)), strict=True)
    for got, eager, oracle in results:
        compare(got, eager, oracle.double())
    for x, y in zip(inputs, before, strict=True):
        assert torch.equal(x.nan_to_num(), y.nan_to_num())
