"""Contents that differ a little from earlier ones: whoever answers from memory answers wrongly.

Only tensors that are raw, which came from a random source as they are, are touched: others have a structure that a
kernel may use.
"""

from __future__ import annotations

import random
from typing import Any

import torch

from kernelmesh_worker.device import here
from kernelmesh_worker.draws import Drawn
from kernelmesh_worker.lent import memory_of

_SECRET = random.SystemRandom()
_PLACES = 1 << 16  # where a mixer's factors may begin


def can_be_probed(drawn: Drawn) -> bool:
    return any(raw and value.numel() > 1 for raw, value in zip(drawn.raw, drawn.values, strict=True))


def one_changed(drawn: Drawn, signs: tuple[int, ...] = (-1, 1)) -> list[Any]:
    """In each raw tensor one element is another, smaller than all, and one larger than all."""
    return [_changed(x, signs) if raw else x for raw, x in zip(drawn.raw, drawn.values, strict=True)]


def permuted(drawn: Drawn) -> list[Any]:
    """Each raw tensor's rows in another order."""
    return [_permuted(x) if raw else x for raw, x in zip(drawn.raw, drawn.values, strict=True)]


class Mixer:
    """Makes contents of two draws that a function of neither tells anything about: each number gets a factor of its
    own, so that no row is a multiple of one that was there before."""

    def __init__(self, drawn: Drawn) -> None:
        sizes = [memory_of(x).numel() for raw, x in zip(drawn.raw, drawn.values, strict=True) if raw]
        self._factors = torch.rand(max(sizes, default=0) + _PLACES, device=here().place).add_(0.5)

    def mixed(self, drawn: Drawn, others: list[Any], signs: tuple[int, ...] = (-1, 1)) -> list[Any]:
        """In raw tensors another draw's numbers up to a random place, this one's behind it, all by random factors, and
        two outliers."""
        return [
            self._mixed(x, y, signs) if raw and x.numel() > 1 else x
            for raw, x, y in zip(drawn.raw, drawn.values, others, strict=True)
        ]

    def _mixed(self, x: torch.Tensor, other: torch.Tensor, signs: tuple[int, ...]) -> torch.Tensor:
        x = x.clone()
        flat = memory_of(x)
        cut = _SECRET.randrange(1, flat.numel())
        flat[:cut].copy_(memory_of(other)[:cut])
        flat.mul_(self._factors.narrow(0, _SECRET.randrange(_PLACES), flat.numel()))
        if _SECRET.choice(signs) < 0:
            flat.neg_()
        _put_outliers(flat, (-1, 1))
        return x


def _changed(x: torch.Tensor, signs: tuple[int, ...]) -> torch.Tensor:
    x = x.clone()
    if x.numel():
        _put_outliers(memory_of(x), signs)
    return x


def _put_outliers(flat: torch.Tensor, signs: tuple[int, ...]) -> None:
    largest = max(1e-3, flat[: 1 << 16].abs().max().item())
    for sign in signs:
        flat[_SECRET.randrange(flat.numel())] = sign * _SECRET.uniform(4, 8) * largest


def _permuted(x: torch.Tensor) -> torch.Tensor:
    """Rolled along its first dimension that has several rows: every sum over all of it stays, no place does."""
    dimension = next((i for i, size in enumerate(x.shape) if size > 1), None)
    if dimension is None:
        return x
    moved = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
    return moved.copy_(torch.roll(x, 1 + _SECRET.randrange(x.shape[dimension] - 1), dimension))
