"""How libraries are closed in a candidate's process, past its reach."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import family
import pytest
from kernelmesh_worker.candidate_ended import CandidateEnded
from kernelmesh_worker.contest import Contest
from kernelmesh_worker.device import CpuDevice
from kernelmesh_worker.untouched import Tampered, watch


def run(code: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: what is closed stays closed."""
    environment = {**os.environ, "PYTHONPATH": str(family.WORKER)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


READY_FUNCTIONS = """
import sys, types
for name in ("cupy", "cupy._core", "cupy._core._kernel", "cupy._core._reduction"):
    sys.modules[name] = types.ModuleType(name)
class ufunc:
    def __init__(self, name):
        self.name = name
    def __call__(self, x):
        return x + 1
sys.modules["cupy._core._kernel"].ufunc = sys.modules["cupy._core._reduction"]._SimpleReductionKernel = ufunc
from kernelmesh_worker.library_guard import LibraryGuard
guard = LibraryGuard()
guard._close_cupy()
print(ufunc("cupy_copy")(1))
try:
    ufunc("cupy_maximum")(1)
except SystemError:
    print(guard.tried)
"""


def test_ready_functions_of_cupy_are_closed_but_for_copies() -> None:
    printed = run(READY_FUNCTIONS)
    assert printed.stdout.split("\n")[:2] == ["2", "['cupy.maximum']"], printed.stderr


def test_what_was_replaced_is_named() -> None:
    module = ModuleType("ours")
    exec("def close(): pass\nOPEN = {'copy'}\nclass Guard:\n    def shut(self): pass", module.__dict__)
    module.Guard.__module__ = "ours"
    other = ModuleType("other")
    other.write, other.free = len, len
    clock = module.Guard()
    for change, name in (
        (lambda: setattr(module, "close", len), "ours.close"),
        (lambda: module.OPEN.add("relu"), "ours.OPEN"),
        (lambda: setattr(module.Guard, "shut", len), "Guard.shut"),
        (lambda: setattr(other, "write", max), "other.write"),
        (lambda: setattr(clock, "shut", max), "Guard"),
    ):
        check = watch((module,), {other: ("write",)}, clock)
        other.free = max
        check()
        change()
        with pytest.raises(Tampered, match=name):
            check()


REFUSED = """
import ctypes, os
from kernelmesh_worker import traps
libc = ctypes.CDLL(None)
were = traps.refuse({traps.place(libc, "getppid")}, 801)
print(libc.getppid())
traps.restore(were)
print(libc.getppid() == os.getppid())
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="what is written there is for x86-64")
def test_a_function_of_a_library_is_refused_until_it_is_restored() -> None:
    printed = run(REFUSED)
    assert printed.stdout.split() == ["801", "True"], printed.stderr


class Loading:
    """Processes that load or don't."""

    def __init__(self, *fates: str) -> None:
        self.asked: list[bool] = []
        self.fates = list(fates)

    @contextlib.contextmanager
    def candidate(self, closed: bool, early: bool) -> Iterator[Any]:
        self.asked.append(early)
        yield self

    def load(self) -> None:
        if fate := self.fates.pop(0):
            raise CandidateEnded(fate, "load")

    loaded, _loaded = Contest.loaded, Contest._loaded


def test_who_captures_while_it_loads_may_without_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for captures, closed, fates, asked in (
        (True, True, ("raised", ""), [False, True]),
        (True, True, ("",), [False]),
        (True, True, ("raised", "raised"), [False, True]),
        (True, True, ("tampered",), [False]),
        (True, False, ("raised",), [False]),
        (False, True, ("raised",), [False]),
    ):
        monkeypatch.setattr(CpuDevice, "has_captures", captures)
        one = Loading(*fates)
        with pytest.raises(CandidateEnded) if fates[-1] else contextlib.nullcontext(), one.loaded(closed):
            pass
        assert one.asked == asked


EARLY = """
import torch
from kernelmesh_worker import cuda_device
from kernelmesh_worker.device import use
from kernelmesh_worker.library_guard import LibraryGuard
use("cuda:0")
guard = LibraryGuard(early=True)
x = torch.relu(torch.ones(4))
guard.close()
try:
    torch.relu(x)
except RuntimeError:
    print(guard.tried)
"""


def test_a_device_s_libraries_are_closed_early_and_all_others_when_it_has_loaded() -> None:
    printed = run(EARLY)
    assert printed.stdout == "['aten::relu']\n", printed.stderr
