"""Redraws of a task's inputs at the source: what get_inputs computes from random numbers stays true."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

KINDS = ("own", "signed", "scaled_down", "scaled_up", "shifted")
_SCALES = {"scaled_down": 1e-2, "scaled_up": 1e2}
_SHIFT = 3.0
_UNIFORM = ("rand", "rand_like")
_NORMAL = ("randn", "randn_like")


@dataclass(frozen=True)
class Draw:
    """`seed` in hex."""

    seed: str
    kind: str


def plan_draws(secret: str, count: int) -> list[Draw]:
    """The task's own draw first, then every kind in turn."""
    return [Draw(seed_of(secret, i), KINDS[i % len(KINDS)]) for i in range(count)]


def seed_of(secret: str, index: int | str) -> str:
    return hashlib.sha256(f"{secret}/{index}".encode()).hexdigest()[:32]


@contextlib.contextmanager
def redrawn(module: ModuleType, kind: str) -> Iterator[None]:
    """Inside, torch's random sources give numbers of that kind, also where the module imported them by name."""
    if kind == "own":
        yield
        return
    sources = {name: getattr(torch, name) for name in (*_UNIFORM, *_NORMAL)}
    patches = {name: _patched(source, kind, name in _UNIFORM) for name, source in sources.items()}
    renamed = {key: name for key, value in vars(module).items() for name, source in sources.items() if value is source}
    try:
        for name, patch in patches.items():
            setattr(torch, name, patch)
        for key, name in renamed.items():
            setattr(module, key, patches[name])
        yield
    finally:
        for name, source in sources.items():
            setattr(torch, name, source)
        for key, name in renamed.items():
            setattr(module, key, sources[name])


def _patched(source: Callable[..., torch.Tensor], kind: str, uniform: bool) -> Callable[..., torch.Tensor]:
    def draw(*arguments: Any, **options: Any) -> torch.Tensor:
        drawn = source(*arguments, **options)
        if not drawn.is_floating_point():
            return drawn
        with torch.no_grad():
            if uniform:
                drawn.mul_(2).sub_(1)
            if kind == "shifted":
                drawn.add_(_SHIFT)
            return drawn.mul_(_SCALES.get(kind, 1.0))

    return draw
