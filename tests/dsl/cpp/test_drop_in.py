"""Exports in the place of Model: the same weights, the same calls, and clear words where they can't."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import map_kernels
import pytest
import torch

sys.path.insert(0, str(map_kernels.ROOT / "devices" / "worker"))
from kernelmesh_worker.trace import trace_model  # noqa: E402

pytestmark = pytest.mark.skipif(map_kernels.writer() is None, reason="kernel_writer is not built")
SEED = 7
TASK = """
import torch
from torch import nn

WIDTH = 12


class Model(nn.Module):
    def __init__(self, width: int, shift: float = 0.5) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.randn(width))
        self.part = nn.Module()
        self.part.register_buffer("shift", torch.rand(WIDTH) + shift)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x * self.scale) + y * self.part.shift
"""
PRODUCT = TASK.replace("self.part = ", "self.linear = nn.Linear(width, width)\n        self.part = ").replace(
    "x * self.scale", "self.linear(x) * self.scale"
)
Made = Callable[..., tuple[ModuleType, ModuleType]]


@pytest.fixture(name="made")
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Of a task's text its module and that of its export."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def write(code: str, library: bool = False, width: int = 12, **more: Any) -> tuple[ModuleType, ModuleType]:
        task = ModuleType("task")
        exec(compile(code, "task.py", "exec"), task.__dict__)
        for name, value in more.get("overrides", {}).items():
            setattr(task, name, value)
        graph = trace_model(task.Model(width), [torch.randn(4, width), torch.randn(4, width)], "test")
        reference = {"name": "test", "code": code, **more}
        map_kernels.write(tmp_path / "k", graph, library=library, reference=reference)
        return task, map_kernels.load(tmp_path / "k")

    return write


def pair(task: ModuleType, export: ModuleType, *arguments: Any) -> tuple[torch.nn.Module, torch.nn.Module]:
    """Model and ModelNew under one seed."""
    models = []
    for kind in (task.Model, export.ModelNew):
        torch.manual_seed(SEED)
        models.append(kind(*arguments))
    return models[0], models[1]


def inputs(width: int = 12) -> list[torch.Tensor]:
    return [torch.randn(4, width), torch.randn(4, width)]


def check(task: ModuleType, export: ModuleType, width: int = 12) -> None:
    model, new = pair(task, export, width)
    x, y = inputs(width)
    with torch.no_grad():
        torch.testing.assert_close(new(x, y), model(x, y))
        torch.testing.assert_close(new(x, y=y), model(x, y))
        torch.testing.assert_close(new(y=y, x=x), model(x, y))


@pytest.mark.parametrize(("code", "library"), [(TASK, False), (PRODUCT, True)], ids=["kernels", "with torch"])
def test_an_export_has_the_weights_of_model_under_the_same_seed(made: Made, code: str, library: bool) -> None:
    task, export = made(code, library)
    check(task, export)
    model, new = pair(task, export, 12)
    state = {name: x + 1 for name, x in model.state_dict().items()}
    model.load_state_dict(state)
    new.load_state_dict(state)
    x, y = inputs()
    with torch.no_grad():
        torch.testing.assert_close(new(x, y), model(x, y))


@pytest.mark.parametrize(("code", "library"), [(TASK, False), (PRODUCT, True)], ids=["kernels", "with torch"])
def test_an_export_is_copied_and_pickled_as_model_is(
    made: Made, monkeypatch: pytest.MonkeyPatch, code: str, library: bool
) -> None:
    task, export = made(code, library)
    monkeypatch.setitem(sys.modules, export.__name__, export)
    monkeypatch.setitem(sys.modules, "task", task)
    model, new = pair(task, export, 12)
    copied = copy.deepcopy(new)
    x, y = inputs()
    with torch.no_grad():
        new.scale.zero_()
        for again in (copied, pickle.loads(pickle.dumps(copied))):
            torch.testing.assert_close(again(x, y), model(x, y))


UNREAD = TASK.replace("self.part = nn.Module()", "self.unread = nn.Linear(2, 2)\n        self.part = nn.BatchNorm1d(3)")


@pytest.mark.parametrize("code", [UNREAD, UNREAD.replace("x * self.scale", "x @ torch.eye(12) * self.scale")])
def test_a_model_with_an_export_inside_takes_the_state_of_one_with_model_inside(made: Made, code: str) -> None:
    task, export = made(code, "@" in code)
    models = [torch.nn.ModuleDict({"tail": x, "head": torch.nn.Linear(2, 2)}) for x in pair(task, export, 12)]
    state = {name: x + 1 for name, x in models[0].state_dict().items()}
    for model in models:
        model.load_state_dict(state)
    x, y = inputs()
    with torch.no_grad():
        torch.testing.assert_close(models[1]["tail"](x, y), models[0]["tail"](x, y))
    del state["tail.scale"]
    with pytest.raises(RuntimeError, match='Missing key.* "tail.scale"'):
        models[1].load_state_dict(state)


def test_the_random_numbers_after_construction_are_the_same_too(made: Made) -> None:
    task, export = made(TASK)
    drawn = []
    for kind in (task.Model, export.ModelNew):
        torch.manual_seed(SEED)
        kind(12)
        drawn.append(torch.rand(4))
    assert torch.equal(*drawn)


ODD = (
    TASK + "\n\"\"\"both\"\"\"\n'''quotes'''\n",
    TASK + 's = "\\\\ \\x00 {{mustache}} {{/reference}}"\n',
    TASK + "# Ümläute 数 without an end of line",
    TASK.replace("\n", "\r\n"),
    "from __future__ import annotations\n" + TASK,
    TASK + "if __name__ == '__main__':\n    raise SystemExit\n",
)


@pytest.mark.parametrize("code", ODD, ids=range(len(ODD)))
def test_whatever_a_task_is_written_like_its_text_is_carried_whole(made: Made, code: str) -> None:
    check(*made(code))
    assert made(code)[1].TASK == code


def test_globals_that_were_overridden_stay_so(made: Made) -> None:
    check(*made(TASK, width=8, overrides={"WIDTH": 8}), width=8)


def test_arguments_of_model_that_give_other_weights_are_refused(made: Made) -> None:
    _, export = made(TASK)
    with pytest.raises(ValueError, match=r"scale is \(13,\) with these arguments of Model; .* written for \(12,\)"):
        export.ModelNew(13)
    with pytest.raises(TypeError, match="width"):
        export.ModelNew()


def test_a_call_with_other_arguments_than_forward_has_says_so_in_one_sentence(made: Made) -> None:
    task, export = made(TASK)
    new = export.ModelNew(12)
    x, y = inputs()
    for given, named in (((), {}), ((x,), {}), ((x, y, x), {}), ((x, y), {"z": x})):
        with pytest.raises(TypeError, match=r"^forward\(x, y\) was called with other arguments: "):
            new(*given, **named)


def test_inputs_that_require_grad_are_refused_while_grad_is_enabled(made: Made) -> None:
    task, export = made(TASK)
    model, new = pair(task, export, 12)
    x, y = inputs()
    x.requires_grad_()
    with pytest.raises(RuntimeError, match="these kernels have no backward; call ModelNew under torch.no_grad()"):
        new(x, y)
    with torch.no_grad():
        torch.testing.assert_close(new(x, y), model(x, y))
    assert not any(p.requires_grad for p in new.parameters())


def test_weights_are_taken_over_and_not_held_twice(made: Made) -> None:
    _, export = made(TASK)
    built = []
    make = export._task().Model.__init__

    def noted(self: Any, *arguments: Any) -> None:
        make(self, *arguments)
        built.append(self.scale.data_ptr())

    export._task().Model.__init__ = noted
    assert export.ModelNew(12).scale.data_ptr() == built[0]
