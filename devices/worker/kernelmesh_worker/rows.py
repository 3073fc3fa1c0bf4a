"""Large tasks in parts of their batch, for what takes more memory than the task itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from kernelmesh_worker.comparison import rms_of
from kernelmesh_worker.device import here

_PER_ELEMENT = 8 * 3  # bytes of a float64 element, with room for what the forward makes on its way
_CLOSE = 1e-2  # a part's outputs to those of the whole, over their RMS: sums may be taken in another order


def fits_in_double(elements: int) -> bool:
    return elements * _PER_ELEMENT < here().available_memory() / 2


@dataclass(frozen=True)
class Rows:
    """Of the first dimension, which all outputs and some of the inputs share: those whose index is in `split`."""

    count: int
    split: frozenset[int]

    @classmethod
    def of(cls, inputs: list[Any], outputs: list[torch.Tensor]) -> Rows | None:
        """None where outputs have no such dimension, or no input has it. Whether rows depend on each other is not
        known from shapes: see `agree`."""
        counts = {x.shape[0] if x.dim() else 0 for x in outputs}
        count = next(iter(counts)) if len(counts) == 1 else 0
        same = [i for i, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.dim() and x.shape[0] == count]
        return cls(count, frozenset(same)) if count > 1 and same else None

    def parts(self, count: int) -> list[slice]:
        bounds = [self.count * i // count for i in range(count + 1)]
        return [slice(a, b) for a, b in zip(bounds, bounds[1:], strict=False)]

    def cut(self, inputs: list[Any], part: slice) -> list[Any]:
        return [x[part] if i in self.split else x for i, x in enumerate(inputs)]

    def agree(self, some: list[torch.Tensor], whole: list[torch.Tensor], part: slice) -> bool:
        """Is what was made of a part that part of the whole?"""
        return len(some) == len(whole) and all(close(x, y[part]) for x, y in zip(some, whole, strict=True))


def close(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Are these the same but for the order of sums?"""
    if x.shape != y.shape:
        return False
    if not x.is_floating_point():
        return torch.equal(x, y)
    size = float(y.square().mean(dtype=torch.float32).sqrt())
    if not math.isfinite(size):
        size = rms_of(y)
    return torch.allclose(x, y, rtol=0.0, atol=_CLOSE * size, equal_nan=True)
