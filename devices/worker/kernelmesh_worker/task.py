"""A task: a Python file in KernelBench form, loaded from its text and run in the judge."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import linecache
import random
import sys
import traceback
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy
import torch

from kernelmesh_worker import task_mark
from kernelmesh_worker.device import CpuDevice, Device
from kernelmesh_worker.draws import Drawn, is_raw, redrawn, redrawn_constants
from kernelmesh_worker.left_behind import Before
from kernelmesh_worker.module_globals import override, whole_numbers
from kernelmesh_worker.shapes import LISTS, problem_of
from kernelmesh_worker.task_dtype import cast_to, dtype_asked, odd_one_out
from kernelmesh_worker.task_source import missing_package
from kernelmesh_worker.text import clean, describe, one_line

_MODULE = "kernelmesh_task"
_IMPORTING = "importing it"
_TRIAL = "trial"  # seed of inputs that only their dtypes count of


class TaskRefused(Exception):
    """The task can't be used; one sentence and the line of its file, 0 if unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Task:
    def __init__(self, record: dict[str, Any], device: Device | None = None) -> None:
        """Runs the file. TaskRefused if that fails or something is missing. Inputs are drawn on the device, and model
        and inputs are given there; without one nothing is moved."""
        self._device = device or CpuDevice()
        self.name = clean(record.get("name") or "task", 200)
        self.dtype = dtype_asked(record)  # None: inputs and weights keep their own
        self._weights_dtype: torch.dtype | None = None  # what weights are cast to then; None: nothing
        self._weights_known = False
        self._file = f"{self.name}.py"
        self.shape = 0  # of those that the task has: which one `inputs` and `drawn` are of
        self._before = Before()
        try:
            self._module = self._load(record.get("code", ""))
            for name in ("Model", LISTS if self.has_shapes else "get_inputs"):
                if not self._defines(name):
                    raise TaskRefused(f"{self._file} defines no {name}")
            self.override(record.get("overrides") or {})
        except TaskRefused:
            self.close()
            raise

    def _load(self, code: str) -> ModuleType:
        module = ModuleType(_MODULE)
        module.__file__ = self._file
        linecache.cache[self._file] = (len(code), None, code.splitlines(keepends=True), self._file)
        sys.modules[_MODULE] = module
        with self.running(_IMPORTING):
            exec(compile(code, self._file, "exec"), module.__dict__)  # noqa: S102 - that is what a task is
        return module

    def _defines(self, name: str) -> bool:
        return callable(getattr(self._module, name, None))

    @property
    def has_shapes(self) -> bool:
        """Does it give a list of argument lists?"""
        return self._defines(LISTS)

    def whole_numbers(self) -> dict[str, int]:
        """Its globals that can be overridden."""
        return whole_numbers(self._module)

    def override(self, values: dict[str, int]) -> None:
        """Before get_inputs and the others run. TaskRefused."""
        for name, value in values.items():
            try:
                override(self._module, name, value)
            except (AttributeError, IndexError, ValueError, TypeError):
                raise TaskRefused(f"{self._file} has no {clean(name, 80)} to override") from None

    @contextlib.contextmanager
    def running(self, what: str) -> Iterator[None]:
        """What the task's code raises inside becomes TaskRefused; that it never ends or ends all, its owner can see."""
        try:
            with task_mark.doing(_doing(what), watch=what == _IMPORTING):
                yield
        except TaskRefused:
            raise
        except SyntaxError as error:
            line = error.lineno or 0 if error.filename == self._file else 0
            raise TaskRefused(f"it is no valid Python: {one_line(error.msg)}", line) from None
        except ModuleNotFoundError as error:
            said = missing_package(error.name or "") or f"{what} raised {describe(error)}"
            raise TaskRefused(said, self.line_of(error)) from None
        except BaseException as error:  # noqa: BLE001 - the user's code may raise anything, asyncio's CancelledError too
            raise TaskRefused(f"{what} raised {describe(error)}", self.line_of(error)) from None

    def line_of(self, error: BaseException | None) -> int:
        """Of its file, the innermost that the error came from; 0 if it came from elsewhere."""
        if error is None:
            return 0
        frames = traceback.extract_tb(error.__traceback__)
        return next((x.lineno or 0 for x in reversed(frames) if x.filename == self._file), 0)

    # -- its parts ----------------------------------------------------------------------------------------------------

    def init_inputs(self, seed: str) -> list[Any]:
        get = getattr(self._module, "get_init_inputs", None)
        if get is None:
            return []
        _seed_all(seed)
        with self.running("get_init_inputs"):
            values = get()
        if not isinstance(values, (list, tuple)):
            raise TaskRefused(f"get_init_inputs returns a {type(values).__name__}, not a list")
        return list(self._device.put(values))

    def model(self, init: list[Any], seed: str, cast: bool = True, redraw: bool = False) -> torch.nn.Module:
        """The reference, with weights of that seed, constant ones too if they are to be redrawn; in the dtype that it
        is judged in unless that is left to the caller."""
        _seed_all(seed)
        said = "building Model" + ("" if hasattr(self._module, "get_init_inputs") else " without get_init_inputs")
        with self.running(said), redrawn_constants(redraw, number_of(seed)):
            model = self._module.Model(*init)
        if not isinstance(model, torch.nn.Module):
            raise TaskRefused("Model is no torch.nn.Module")
        if self._device.place.type != "cpu":  # weights are built where every file of the field builds them
            model = model.to(self._device.place)
        if not cast:
            return model
        wanted = self.dtype or self._dtype_for(model)
        return model.to(wanted) if wanted else model

    def _dtype_for(self, model: torch.nn.Module) -> torch.dtype | None:
        """Of a task that keeps its own: weights of another dtype than its inputs stay as they are where forward takes
        them so, else they are cast to the inputs'. Found out once."""
        if not self._weights_known:
            inputs = self.inputs(_TRIAL)
            odd = odd_one_out(model, inputs)
            self._weights_dtype = odd if odd and not self._runs(model, inputs) else None
            self._weights_known = True
        return self._weights_dtype

    def _runs(self, model: torch.nn.Module, inputs: list[Any]) -> bool:
        try:
            with self.running("forward"), torch.no_grad():
                copy.deepcopy(model)(*inputs)
        except TaskRefused:
            return False
        return True

    def inputs(self, seed: str, kind: str = "own") -> list[Any]:
        """What get_inputs returns under that seed, or the list of the current shape; floating tensors in the dtype
        that was asked for."""
        return self.drawn(seed, kind).values

    def drawn(self, seed: str, kind: str = "own") -> Drawn:
        """The same, with what is known of them."""
        return self._drawn(self._lists(seed, kind), self.shape)

    def drawn_shapes(self, seed: str) -> list[Drawn]:
        """The task's own draw of every shape."""
        lists = self._lists(seed, "own")
        return [self._drawn(lists, i) for i in range(len(lists[0]))]

    def _lists(self, seed: str, kind: str) -> tuple[list[Any], list[torch.Tensor]]:
        """The argument lists of all shapes, and what random sources gave for them."""
        several = self.has_shapes
        name = LISTS if several else "get_inputs"
        _seed_all(seed)
        with self.running(name), self._device.drawing(), redrawn(self._module, kind) as given, torch.no_grad():
            values = getattr(self._module, name)()
        if several:
            if problem := problem_of(values):
                raise TaskRefused(problem)
            return list(values), given
        if not isinstance(values, (list, tuple)):
            raise TaskRefused(f"get_inputs returns a {type(values).__name__}, not a list")
        return [values], given

    def _drawn(self, lists: tuple[list[Any], list[torch.Tensor]], shape: int) -> Drawn:
        all_of_them, given = lists
        if shape >= len(all_of_them):
            raise TaskRefused(f"{LISTS} returns another number of argument lists each time it is called")
        values = all_of_them[shape]
        try:
            ready = [cast_to(self.dtype, self._device.put(x)) for x in values]
        except RecursionError:
            raise TaskRefused("an input holds itself, or is nested too deep") from None
        except NotImplementedError as error:  # of a meta tensor
            raise TaskRefused(f"an input can't be copied: {describe(error)}") from None
        return Drawn(ready, [is_raw(x, given) for x in values])

    def close(self) -> None:
        """Undoes what its code left changed, as far as left_behind.py knows of it."""
        self._before.restore()
        sys.modules.pop(_MODULE, None)
        linecache.cache.pop(self._file, None)


def _doing(what: str) -> str:
    if what == _IMPORTING:
        return "importing"
    return what if " " in what else f"running {what}"


def number_of(seed: str) -> int:
    """What a generator takes of a seed's text."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:7], "little")


def _seed_all(seed: str) -> None:
    number = number_of(seed)
    torch.default_generator.manual_seed(number)  # torch.manual_seed walks the stack, for a device that is not there yet
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(number)
    random.seed(number)
    numpy.random.seed(number & 0xFFFFFFFF)


def flat_outputs(value: Any) -> list[torch.Tensor]:
    """A forward's results in order. TaskRefused if there is something else than tensors in lists."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat_outputs(part)]
    raise TaskRefused(f"forward returns a {type(value).__name__}: outputs must be tensors or lists of tensors")
