"""Redraws of a task's inputs at the source: what get_inputs computes from random numbers stays true."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy
import torch

KINDS = ("own", "signed", "scaled_down", "scaled_up", "shifted")
TINY = "tiny"  # where half precision has no bits left; asked for where a result looks like a narrow float's
_SCALES = {"scaled_down": 1e-2, "scaled_up": 1e2, TINY: 2.0**-20}
_SHIFT = 3.0
_SEED_MASK = (1 << 63) - 1
_IN_PLACE = ("uniform_", "normal_")
_UNIFORM = ("rand", "rand_like")
_NORMAL = ("randn", "randn_like")
_UNIFORM_OF_NUMPY = ("rand", "random", "random_sample", "ranf", "sample")
_NORMAL_OF_NUMPY = ("randn", "standard_normal")
_RANGED_OF_NUMPY = ("uniform", "normal")

with torch.device("cpu"):  # here torch notes which of its functions make tensors: before any of them is replaced
    torch.empty(0)


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


@dataclass
class Drawn:
    """Inputs of one call. `raw[i]`: values[i] is just what a random source gave, so any number may stand in any place;
    of others a kernel may use the structure that get_inputs gave them."""

    values: list[Any]
    raw: list[bool]


def is_raw(value: Any, given: list[torch.Tensor]) -> bool:
    """Is it what a random source gave, perhaps in another dtype?"""
    return isinstance(value, torch.Tensor) and any(value is x or _rounded(value, x) for x in given)


def _rounded(value: torch.Tensor, given: torch.Tensor) -> bool:
    if value.dtype is given.dtype or value.shape != given.shape or not value.is_floating_point():
        return False
    return type(value) is torch.Tensor and torch.equal(value, given.to(value.dtype))  # a fake one has no numbers


@contextlib.contextmanager
def redrawn(module: ModuleType, kind: str) -> Iterator[list[torch.Tensor]]:
    """Inside, torch's random sources give numbers of that kind, also where the module imported them by name; the list
    holds what they gave."""
    given: list[torch.Tensor] = []
    methods = {name: getattr(torch.Tensor, name) for name in _IN_PLACE}
    sources = {name: getattr(torch, name) for name in (*_UNIFORM, *_NORMAL)}
    patches = {name: _patched(source, kind, name in _UNIFORM, given) for name, source in sources.items()}
    renamed = {key: name for key, value in vars(module).items() for name, source in sources.items() if value is source}
    try:
        for name, patch in patches.items():
            setattr(torch, name, patch)
        for key, name in renamed.items():
            setattr(module, key, patches[name])
        for name in _IN_PLACE if kind != "own" else ():
            setattr(torch.Tensor, name, _patched_in_place(methods[name], kind))
        with _redrawn_numpy(kind):
            yield given
    finally:
        for name, method in methods.items():
            setattr(torch.Tensor, name, method)
        for name, source in sources.items():
            setattr(torch, name, source)
        for key, name in renamed.items():
            setattr(module, key, sources[name])


@contextlib.contextmanager
def _redrawn_numpy(kind: str) -> Iterator[None]:
    """The same for numpy's old random functions, which one seed is for. What they give is never called raw."""
    names = (*_UNIFORM_OF_NUMPY, *_NORMAL_OF_NUMPY, *_RANGED_OF_NUMPY)
    sources = {name: getattr(numpy.random, name) for name in names if kind != "own"}
    try:
        for name, source in sources.items():
            setattr(numpy.random, name, _patched_of_numpy(source, kind, name))
        yield
    finally:
        for name, source in sources.items():
            setattr(numpy.random, name, source)


@contextlib.contextmanager
def redrawn_constants(wanted: bool, seed: int) -> Iterator[None]:
    """Inside, parameters that are set to a constant get random values: a kernel which leaves out a scale of ones or a
    bias of zeros gives itself away. They follow from seed and shape alone: both sides make the same ones, and all other
    weights stay what they are.
    """
    if not wanted:
        yield
        return
    make = torch.nn.Parameter.__new__
    sources = {name: getattr(torch.nn.init, name) for name in ("ones_", "zeros_", "constant_")}

    def scattered(tensor: torch.Tensor, middle: float) -> torch.Tensor:
        with torch.no_grad():
            if not tensor.is_floating_point():
                return tensor.fill_(middle)
            generator = torch.Generator(tensor.device).manual_seed(hash((seed, *tensor.shape)) & _SEED_MASK)
            return tensor.uniform_(middle - 0.5, middle + 0.5, generator=generator)

    def parameter(kind: type, data: Any = None, requires_grad: bool = True) -> Any:
        constant = isinstance(data, torch.Tensor) and data.is_floating_point() and data.numel() > 1
        if constant and bool((data == data.reshape(-1)[0]).all()):
            data = scattered(data.detach().clone(), data.reshape(-1)[0].item())
        return make(kind, data, requires_grad)

    try:
        torch.nn.init.ones_ = lambda tensor: scattered(tensor, 1.0)
        torch.nn.init.zeros_ = lambda tensor: scattered(tensor, 0.0)
        torch.nn.init.constant_ = lambda tensor, val: scattered(tensor, val)
        torch.nn.Parameter.__new__ = parameter
        yield
    finally:
        torch.nn.Parameter.__new__ = make
        for name, source in sources.items():
            setattr(torch.nn.init, name, source)


def _patched(
    source: Callable[..., torch.Tensor], kind: str, uniform: bool, given: list[torch.Tensor]
) -> Callable[..., torch.Tensor]:
    def draw(*arguments: Any, **options: Any) -> torch.Tensor:
        drawn = source(*arguments, **options)
        if not drawn.is_floating_point():
            return drawn
        given.append(drawn)
        if kind == "own":
            return drawn
        with torch.no_grad():
            return _moved(drawn.mul_(2).sub_(1) if uniform else drawn, kind)

    return draw


def _patched_in_place(source: Callable[..., torch.Tensor], kind: str) -> Callable[..., torch.Tensor]:
    """Numbers around zero, whatever range was asked for."""

    def draw(self: torch.Tensor, *arguments: Any, **options: Any) -> torch.Tensor:
        with torch.no_grad():
            drawn = source(self, *arguments, **options)
            return _moved(drawn.sub_(drawn.mean()).mul_(2), kind) if drawn.is_floating_point() else drawn

    return draw


def _patched_of_numpy(source: Callable[..., Any], kind: str, name: str) -> Callable[..., Any]:
    def draw(*arguments: Any, **options: Any) -> Any:
        drawn = numpy.asarray(source(*arguments, **options))
        if name in _UNIFORM_OF_NUMPY:
            drawn = drawn * 2 - 1
        elif name in _RANGED_OF_NUMPY and drawn.size > 1:  # numbers around zero, whatever range was asked for
            drawn = (drawn - drawn.mean()) * 2
        return ((drawn + _SHIFT if kind == "shifted" else drawn) * _SCALES.get(kind, 1.0))[()]

    return draw


def _moved(drawn: torch.Tensor, kind: str) -> torch.Tensor:
    if kind == "shifted":
        drawn.add_(_SHIFT)
    return drawn.mul_(_SCALES.get(kind, 1.0))
