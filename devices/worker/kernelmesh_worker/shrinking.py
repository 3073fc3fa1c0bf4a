"""Makes a task smaller: finds numbers for its module globals so that inputs and outputs fit into so many bytes.

What a global stands for is found out by trying, not by its name: a smaller one is put in its place, and what changes is
looked at. Globals that reach the constructor, that forward can't do without, or that are called after channels and
features are left alone. Sizes are halved, the batch first, so that the task stays of the kind that it was: what was odd
or divisible by a window, a stride or a number of groups still is.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils import _pytree as pytree

from kernelmesh_worker.task import Task, TaskRefused, flat_outputs
from kernelmesh_worker.text import one_line

_BATCH = 16  # batch normalisation over fewer is another task; below only where nothing else helps
_SIDE = 32  # of what is no batch; with a batch of _FEW first down to this
_FEW = 2
_LEAST_SIDE = 8
_LARGEST_DIVISOR = 32  # what may be a window, a stride or a number of groups
_BATCH_NAME = re.compile(r"(?i)^(batch|batch_?size|bs|b)$")
_KEPT_NAME = re.compile(r"(?i)channel|feature|hidden|embed|head|group|class|kernel|stride|padding|dilation")


class Unfit(Exception):
    """With these numbers the task can't be run."""


@dataclass
class Measured:
    """What the task is like with some numbers."""

    init: str
    divisors: frozenset[int]  # among the constructor's arguments
    inputs: list[tuple[int, ...]]
    size: int  # bytes of inputs and outputs
    needs_batch: bool  # something of it takes statistics over the batch


@dataclass
class Lever:
    """Globals that only move together, with what they stand at."""

    names: list[str]
    value: int
    batch: bool
    divisors: frozenset[int] = field(default_factory=frozenset)

    def halved(self) -> int:
        return half_of(self.value, self.divisors)


def shrink(task: Task, limit: int, seed: str) -> dict[str, int]:
    """What to override; nothing if the task fits as it is. TaskRefused if it can't be made to fit."""
    return _Shrinking(task, limit, seed).run()


def half_of(value: int, divisors: frozenset[int]) -> int:
    """About half: as odd or even, and as divisible."""
    checked = {2, *divisors} if value > 2 else set()
    for half in range(value // 2, value // 4, -1):
        if all((half % k == 0) == (value % k == 0) for k in checked):
            return half
    return max(1, value // 2)


class _Shrinking:
    def __init__(self, task: Task, limit: int, seed: str) -> None:
        self._task, self._limit = task, limit
        self._meter = _Meter(task, limit, seed)
        self._given = task.whole_numbers()
        self._chosen: dict[str, int] = {}

    def run(self) -> dict[str, int]:
        with self._meter.running():
            start = self._meter.measure({})
            self._size = start.size
            if self._fits():
                return {}
            levers = self._levers(start)
            batches = [x for x in levers if x.batch]
            sides = [x for x in levers if not x.batch]
            self._reduce(batches, _BATCH)
            self._reduce(sides, _SIDE)
            self._reduce([] if start.needs_batch else batches, _FEW)
            self._reduce(sides, _LEAST_SIDE)
            self._reduce(batches, 1)
            self._regrow(batches)
        if not self._fits():
            raise TaskRefused(self._too_large(start.size, levers))
        self._task.override(self._given | self._chosen)
        return {name: x for name, x in self._chosen.items() if x != self._given[name]}

    def _fits(self) -> bool:
        return self._size <= self._limit

    def _too_large(self, size: int, levers: list[Lever]) -> str:
        why = f"{_mib(self._size)} at least" if levers else self._meter.problem or "no global can be made smaller"
        return f"inputs and outputs of {_mib(size)} can't be shrunk to {_mib(self._limit)}: {why}"

    # -- which globals matter -----------------------------------------------------------------------------------------

    def _levers(self, start: Measured) -> list[Lever]:
        """One for each global that works alone; those of one value that work together only are one lever."""
        alone: list[Lever] = []
        stuck: dict[int, list[str]] = {}
        for name, value in self._given.items():
            if value < 2 or _KEPT_NAME.search(name):
                continue
            try:
                alone += self._lever([name], value, start)
            except Unfit:
                stuck.setdefault(value, []).append(name)
        return alone + self._joint(stuck, start)

    def _joint(self, stuck: dict[int, list[str]], start: Measured) -> list[Lever]:
        found: list[Lever] = []
        for value, names in stuck.items():
            with contextlib.suppress(Unfit):
                found += self._lever(names, value, start) if len(names) > 1 else []
        return found

    def _lever(self, names: list[str], value: int, start: Measured) -> list[Lever]:
        """None if the inputs don't depend on them or the constructor does. Unfit."""
        less = half_of(value, start.divisors)
        measured = self._meter.measure(dict.fromkeys(names, less))
        if measured.init != start.init or measured.inputs == start.inputs:
            return []
        named = any(_BATCH_NAME.match(x) for x in names)
        first_only = _only_first_dimension(start.inputs, measured.inputs)
        return [Lever(names, value, batch=named or first_only, divisors=start.divisors)]

    # -- how far ------------------------------------------------------------------------------------------------------

    def _reduce(self, levers: list[Lever], floor: int) -> None:
        """Halves the largest until it fits or nothing is above the floor; equal ones together."""
        left = list(levers)
        while not self._fits():
            left = [x for x in left if self._next(x, floor) < x.value]
            if not left:
                return
            largest = max(x.value for x in left)
            together = [x for x in left if x.value == largest]
            if not self._try({id(x): self._next(x, floor) for x in together}, together):
                left = [x for x in left if x not in together]

    @staticmethod
    def _next(lever: Lever, floor: int) -> int:
        lowest = floor + (lever.value - floor) % 2
        return max(lever.halved(), min(lever.value, lowest))

    def _regrow(self, levers: list[Lever]) -> None:
        """Halving sides may have left room for a larger batch."""
        for lever in levers:
            original = self._given[lever.names[0]]
            steps = _halves(original, lever.divisors)
            for value in (x for x in steps if x > lever.value):
                if self._try({id(lever): value}, [lever], within=self._limit):
                    break

    def _try(self, values: dict[int, int], levers: list[Lever], within: int | None = None) -> bool:
        wanted = {name: values[id(x)] for x in levers for name in x.names}
        try:
            size = self._meter.measure(self._chosen | wanted).size
        except Unfit:
            return False
        if within is not None and size > within:
            return False
        self._size = size
        self._chosen |= wanted
        for lever in levers:
            lever.value = values[id(lever)]
        return True


def _halves(value: int, divisors: frozenset[int]) -> list[int]:
    steps = [value]
    while steps[-1] > 1:
        steps.append(half_of(steps[-1], divisors))
    return steps


def _only_first_dimension(before: list[tuple[int, ...]], after: list[tuple[int, ...]]) -> bool:
    """Of every input that has one."""
    pairs = [(a, b) for a, b in zip(before, after, strict=False) if a]
    return len(before) == len(after) and all(len(a) == len(b) and a[0] != b[0] and a[1:] == b[1:] for a, b in pairs)


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.4g} MiB"


class _Meter:
    """Runs the task without its memory where that works; else for real, forward only where the inputs fit."""

    def __init__(self, task: Task, limit: int, seed: str) -> None:
        self._task, self._limit, self._seed = task, limit, seed
        self._given = task.whole_numbers()
        self._real_inputs = self._real_forward = False
        self.problem = ""  # what running it without memory met
        self._dtype = task.dtype

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Finds out what works; the task has its own numbers again at the end. TaskRefused."""
        logging.disable(logging.CRITICAL)  # torch logs what it can't run without memory, at length
        try:
            self._real_inputs = not self._works(self._inputs)
            self._real_forward = self._real_inputs or not self._works(self._outputs)
            yield
        except Unfit as unfit:
            raise TaskRefused(f"it can't be shrunk: {unfit}") from None
        finally:
            logging.disable(logging.NOTSET)
            self._task.override(self._given)

    def _works(self, step: Callable[[], Any]) -> bool:
        try:
            step()
        except Unfit as unfit:
            self.problem = str(unfit)
            return False
        return True

    def measure(self, values: dict[str, int]) -> Measured:
        """Unfit."""
        self._task.override(self._given | values)
        init, inputs = self._inputs()
        size = self._bytes_of(inputs)
        needs_batch = False
        if size <= self._limit or not self._real_forward:
            model, outputs = self._outputs()
            needs_batch = any(isinstance(x, _BatchNorm) for x in model.modules())
            if any(x.numel() == 0 for x in [*_tensors(inputs), *outputs]):
                raise Unfit("something of it is empty")
            size += self._bytes_of(outputs)
        numbers = (x for x in pytree.tree_leaves(init) if type(x) is int and 2 < x <= _LARGEST_DIVISOR)
        shapes = [tuple(x.shape) for x in _tensors(inputs)]
        return Measured(_text_of(init), frozenset(numbers), shapes, size, needs_batch)

    def _inputs(self) -> tuple[list[Any], list[Any]]:
        with self._mode(self._real_inputs):
            return self._task.init_inputs(self._seed), self._task.inputs(self._seed)

    def _outputs(self) -> tuple[torch.nn.Module, list[torch.Tensor]]:
        with self._mode(self._real_forward), torch.no_grad():
            model = self._task.model(self._task.init_inputs(self._seed), self._seed, cast=self._real_forward)
            return model, flat_outputs(model(*self._task.inputs(self._seed)))

    @contextlib.contextmanager
    def _mode(self, real: bool) -> Iterator[None]:
        """What the task's code raises inside is Unfit."""
        try:
            with contextlib.nullcontext() if real else FakeTensorMode(allow_non_fake_inputs=True):
                yield
        except TaskRefused as refused:
            raise Unfit(refused.message) from None
        except Exception as error:  # noqa: BLE001 - forward is the user's code: anything may come out of it
            raise Unfit(f"{type(error).__name__}: {one_line(str(error))}") from None

    def _bytes_of(self, values: list[Any]) -> int:
        return sum(x.numel() * self._bytes_each(x) for x in _tensors(values))

    def _bytes_each(self, x: torch.Tensor) -> int:
        return self._dtype.itemsize if self._dtype and x.is_floating_point() else x.element_size()


def _tensors(values: list[Any]) -> list[torch.Tensor]:
    return [x for x in pytree.tree_leaves(values) if isinstance(x, torch.Tensor)]


def _text_of(init: list[Any]) -> str:
    """Equal for equal arguments, tensors by their shapes."""
    leaves = [tuple(x.shape) if isinstance(x, torch.Tensor) else repr(x) for x in pytree.tree_leaves(init)]
    return repr(leaves)
