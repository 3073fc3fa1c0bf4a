"""Models with groups that torch computes: what kernelmesh writes for them against the model itself."""

from __future__ import annotations

import copy
import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import map_kernels
import pytest
import torch
from torch import nn

ROOT = map_kernels.ROOT
sys.path.insert(0, str(ROOT / "devices" / "worker"))
from kernelmesh_worker.trace import trace_model  # noqa: E402

pytestmark = pytest.mark.skipif(map_kernels.writer() is None, reason="kernel_writer is not built")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


class Chain(nn.Module):
    """Some steps, each a function of the module and what came before."""

    def __init__(self, steps: list[Callable[[nn.Module, torch.Tensor], Any]], **parts: Any) -> None:
        super().__init__()
        self.steps = steps
        for name, part in parts.items():
            if isinstance(part, (nn.Module, nn.Parameter)):
                setattr(self, name, part)
            else:
                self.register_buffer(name, part)

    def forward(self, x: torch.Tensor) -> Any:
        for step in self.steps:
            x = step(self, x)
        return x


def load(path: Path) -> ModuleType:
    described = importlib.util.spec_from_file_location(f"model_{path.parent.name}_{path.stem}", path)
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


def build(folder: Path) -> None:
    """As the compile stage does it."""
    described = importlib.util.spec_from_file_location("cpp_adapter", ROOT / "dsl" / "cpp" / "adapter.py")
    assert described is not None and described.loader is not None
    adapter = importlib.util.module_from_spec(described)
    described.loader.exec_module(adapter)
    names = [x.name for x in folder.iterdir() if x.suffix in (".cpp", ".hpp", ".h", ".py") and x.name != "export.py"]
    (folder / "out").mkdir()
    request = adapter.CompileRequest(
        manifest={"entry": {"python_host": {}}},
        files={name: str(folder / name) for name in names},
        arch="native",
        folder=str(folder / "out"),
        limit_s=120.0,
        cores=1,
    )
    result = adapter.compile(request)
    assert result.ok, result.log
    (folder / "out" / result.artifact).rename(folder / ".artifact")


def written(folder: Path, model: nn.Module, x: torch.Tensor) -> str:
    """The files of a candidate for the model; the text of its Python file."""
    said = map_kernels.write(folder, trace_model(model, [x], "test"), library=True)
    assert (folder / "model.py").exists(), said
    return (folder / "model.py").read_text()


def check_same(module: ModuleType, model: nn.Module, shape: tuple[int, ...], calls: int = 3) -> None:
    """Outputs, strides and buffers of several calls."""
    wanted, made = copy.deepcopy(model), module.ModelNew()
    made.load_state_dict(wanted.state_dict())
    with torch.no_grad():
        for _ in range(calls):
            x = torch.randn(shape)
            want, got = wanted(x), made(x.clone())
            pairs = zip(want, got, strict=True) if isinstance(want, (tuple, list)) else [(want, got)]
            for a, b in pairs:
                torch.testing.assert_close(b, a, rtol=1e-5, atol=1e-5)
                assert a.stride() == b.stride()
            state = wanted.state_dict()
            for name, b in made.state_dict().items():
                torch.testing.assert_close(b, state[name], rtol=1e-5, atol=1e-6)


def check_both(folder: Path, model: nn.Module, shape: tuple[int, ...]) -> str:
    """The candidate beside its library, and the export, which builds it; the candidate's text."""
    text = written(folder, model, torch.randn(shape))
    build(folder)
    check_same(load(folder / "model.py"), model, shape)
    check_same(load(folder / "export.py"), model, shape)
    return text


def test_a_convolution_is_left_to_torch_and_its_chain_is_a_kernel(tmp_path: Path) -> None:
    model = Chain(
        [lambda m, x: m.conv(x), lambda m, x: torch.relu(x), lambda m, x: x + m.bias],
        conv=nn.Conv2d(3, 8, 3),
        bias=nn.Parameter(torch.randn(8, 1, 1)),
    )
    text = check_both(tmp_path / "k", model, (2, 3, 12, 12))
    assert "aten.convolution.default(" in text
    assert "aten.relu" not in text and "aten.add" not in text


def test_batch_norm_in_training_updates_its_buffers_once_a_call(tmp_path: Path) -> None:
    model = Chain(
        [lambda m, x: m.linear(x), lambda m, x: m.norm(x), lambda m, x: torch.nn.functional.gelu(x) * 2],
        linear=nn.Linear(12, 16),
        norm=nn.BatchNorm1d(16),
    )
    text = check_both(tmp_path / "k", model, (32, 12))
    assert text.count("aten.native_batch_norm.") == 1
    assert "aten.copy_." in text


def test_a_buffer_that_forward_writes_is_read_before(tmp_path: Path) -> None:
    def keep(m: Any, x: torch.Tensor) -> torch.Tensor:
        result = x * m.last + m.last.mean()
        m.last.copy_(x.mean(0))
        return torch.tanh(result) + 1

    model = Chain([keep], last=torch.ones(5))
    check_both(tmp_path / "k", model, (7, 5))


def test_several_results_and_outputs_keep_their_order(tmp_path: Path) -> None:
    def both(m: Any, x: torch.Tensor) -> Any:
        values, places = torch.max(x, dim=1)
        return torch.exp(-values), places, values, torch.sigmoid(x)

    check_both(tmp_path / "k", Chain([both]), (6, 9))


def test_strides_that_are_not_the_planned_ones_are_told_to_the_kernel(tmp_path: Path) -> None:
    model = Chain([lambda m, x: torch.relu(x) + 1, lambda m, x: torch.softmax(x, 1)])
    folder = tmp_path / "k"
    written(folder, model, torch.randn(6, 8))
    build(folder)
    made = load(folder / "model.py").ModelNew()
    for x in (torch.randn(8, 6).t(), torch.randn(6, 8), torch.randn(6, 16)[:, ::2]):
        torch.testing.assert_close(made(x), model(x))


def test_inputs_of_another_shape_or_dtype_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "k"
    written(folder, Chain([lambda m, x: torch.softmax(torch.relu(x), 1)]), torch.randn(6, 8))
    build(folder)
    made = load(folder / "model.py").ModelNew()
    for x in (torch.randn(8, 6), torch.randn(6, 8).double()):
        with pytest.raises(ValueError, match="^input 0 is .*; this model was written for torch.float32"):
            made(x)


UNARY: list[Callable[[Any, torch.Tensor], torch.Tensor]] = [
    lambda m, x: torch.relu(x),
    lambda m, x: torch.tanh(x) * 0.5,
    lambda m, x: torch.nn.functional.gelu(x),
    lambda m, x: torch.sigmoid(x) * x,
    lambda m, x: torch.clamp(x, -0.5, 0.7) + m.scale,
    lambda m, x: x / (1 + x.abs()),
]
LEFT: list[Callable[[Any, torch.Tensor], torch.Tensor]] = [
    lambda m, x: torch.softmax(x, dim=-1),
    lambda m, x: x.transpose(0, 1).flip(0).transpose(0, 1),
    lambda m, x: m.linear(x),
    lambda m, x: torch.cumsum(x, dim=0),
    lambda m, x: x - x.mean(dim=1, keepdim=True),
    lambda m, x: torch.nn.functional.layer_norm(x, (8,), m.scale),
    lambda m, x: m.norm(x),
    lambda m, x: torch.cat([x[:, 4:], x[:, :4]], dim=1),
    lambda m, x: x.view(-1, 2, 4).transpose(1, 2).reshape(-1, 8),
]


@pytest.mark.parametrize("seed", range(6))
def test_random_chains_mean_the_same(seed: int, tmp_path: Path) -> None:
    choice = random.Random(seed)
    steps = [choice.choice(UNARY if choice.random() < 0.6 else LEFT) for _ in range(8)] + [UNARY[0], LEFT[0]]
    torch.manual_seed(seed)
    parts = {"linear": nn.Linear(8, 8), "norm": nn.BatchNorm1d(8), "scale": nn.Parameter(torch.randn(8))}
    check_both(tmp_path / f"k{seed}", Chain(steps, **parts), (16, 8))
