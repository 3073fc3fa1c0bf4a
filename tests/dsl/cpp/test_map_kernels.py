"""Generated kernels against torch in float64, and the exported file by itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import map_kernels
import pytest
import torch
from torch import nn

pytestmark = pytest.mark.skipif(map_kernels.writer() is None, reason="kernel_writer is not built")

SPECIAL = [
    0.0,
    -0.0,
    float("inf"),
    float("-inf"),
    float("nan"),
    1e-45,
    -1e-45,
    1.1e-38,
    -1.1e-38,
    3e38,
    -3e38,
    1.0,
    -1.0,
]
VECTOR = ["exp", "expm1", "log", "log1p", "tanh", "erf", "sigmoid", "sqrt", "softplus", "gelu", "selu", "silu", "mish"]
CALLS = ["sin", "cos", "round", "floor", "relu", "hardswish"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def samples() -> torch.Tensor:
    random = torch.Generator().manual_seed(5)
    near = torch.randn(20000, generator=random)
    scales = 10.0 ** torch.randint(-6, 3, (20000,), generator=random)
    return torch.cat([near, near * scales, torch.tensor(SPECIAL)]).float()


def reference(op: str, x: torch.Tensor) -> torch.Tensor:
    return (getattr(torch, op, None) or getattr(nn.functional, op))(x)


def relative(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    """Errors in units of float32's epsilon; 0 where the result is subnormal or not finite."""
    error = (got.double() - want).abs() / want.abs().clamp_min(1.2e-38) / torch.finfo(torch.float32).eps
    return torch.where(want.abs().gt(1.2e-38) & want.abs().lt(3e38), error, 0)


def same_kind(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    rounded = want.float()
    finite = torch.isfinite(rounded) == torch.isfinite(got)
    infinite = ~torch.isinf(rounded) | (rounded == got)
    return finite & infinite & (torch.isnan(rounded) == torch.isnan(got))


def results(folder: Path, operators: list[str], x: torch.Tensor) -> dict[str, torch.Tensor]:
    """One kernel with a result for each operator."""
    nodes = [map_kernels.node(f"y_{op}", op, x, self="x") for op in operators]
    graph = map_kernels.graph([map_kernels.value("x", 0, x)], nodes)
    map_kernels.write(folder, graph | {"outputs": [node["name"] for node in nodes]})
    return dict(zip(operators, map_kernels.load(folder).ModelNew()(x), strict=True))


@pytest.mark.parametrize("operators", [VECTOR, CALLS])
def test_operators_are_as_right_as_torch(operators: list[str], tmp_path: Path) -> None:
    x = samples()
    for op, got in results(tmp_path / "all", operators, x).items():
        want, eager = reference(op, x.double()), reference(op, x)
        alike = same_kind(got, want) | same_kind(got, eager.double())
        assert alike.all(), (op, x[~alike])
        finite = torch.isfinite(want) & torch.isfinite(got) & want.abs().lt(3e38)
        cancels = op in ("gelu", "sin", "mish")  # near their zeros an absolute error is all that float can promise
        small = (got.double() - want).abs() <= (2.4e-7 if cancels else 0) * (1 + x.double().abs())
        wrong = finite & (relative(got, want) > 2.5 + 2 * relative(eager, want)) & ~small
        assert not wrong.any(), (op, x[wrong][:5], got[wrong][:5], want[wrong][:5])


def test_zero_keeps_its_sign(tmp_path: Path) -> None:
    zeros = torch.tensor([0.0, -0.0])
    for op, got in results(tmp_path / "signs", ["expm1", "log1p", "tanh", "erf", "sqrt", "sin"], zeros).items():
        assert torch.equal(torch.signbit(got), torch.signbit(zeros)), op


def test_a_power_of_two_tensors_follows_torch(tmp_path: Path) -> None:
    bases = torch.tensor([*SPECIAL, 2.5, -2.5, 0.1, 7.0, -3.0])
    x, y = bases.repeat(18), bases.repeat_interleave(18)
    values = [map_kernels.value("x", 0, x), map_kernels.value("y", 1, y)]
    node = map_kernels.node("z", "pow", x, self="x", exponent="y") | {"overload": "Tensor_Tensor"}
    map_kernels.write(tmp_path / "pow", map_kernels.graph(values, [node]))
    got = map_kernels.load(tmp_path / "pow").ModelNew()(x, y)
    want = torch.pow(x.double(), y.double())
    assert same_kind(got, want).all()
    assert relative(got, want).max() <= 1.5


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_types_are_computed_and_rounded(dtype: torch.dtype, tmp_path: Path) -> None:
    x = samples().to(dtype)
    got = map_kernels.unary(tmp_path / "tanh", "tanh", x)(x)
    want = torch.tanh(x.double()).to(dtype)
    assert got.dtype == dtype
    step = 4 * torch.finfo(dtype).eps if dtype == torch.float64 else torch.finfo(dtype).eps
    assert torch.allclose(got.double(), want.double(), rtol=step, atol=step / 64, equal_nan=True)


@pytest.mark.parametrize("knobs", [{"math": "plain"}, {"streaming_stores": "on", "tile": 512}])
def test_knobs_change_no_result(knobs: dict[str, object], tmp_path: Path) -> None:
    x = torch.randn(3, 50001)
    got = map_kernels.unary(tmp_path / "gelu", "gelu", x, knobs)(x)
    assert torch.allclose(got, nn.functional.gelu(x), atol=2e-6)


def scaled_graph(x: torch.Tensor, weight: torch.Tensor) -> dict[str, object]:
    weight_value = map_kernels.value("w", 0, weight) | {"origin": "parameter", "path": "scale.weight"}
    nodes = [
        map_kernels.node("m", "mul", x, self="x", other="w"),
        map_kernels.node("y", "relu", x, self="m"),
    ]
    return map_kernels.graph([map_kernels.value("x", 0, x), weight_value], nodes)


def test_an_export_takes_weights_strides_and_refuses_other_shapes(tmp_path: Path) -> None:
    x, weight = torch.randn(8, 33), torch.randn(33)
    map_kernels.write(tmp_path / "scaled", scaled_graph(x, weight))
    model = map_kernels.load(tmp_path / "scaled").ModelNew("any", arguments=True)
    model.load_state_dict({"scale.weight": weight, "unused": weight})
    assert list(model.state_dict()) == ["scale.weight"]
    assert torch.equal(model(x), torch.relu(x * weight))
    turned = x.t().contiguous().t()
    assert torch.equal(model(turned), torch.relu(x * weight))
    first, second = model(x), model(x)
    assert first.data_ptr() != second.data_ptr()
    with pytest.raises(ValueError, match=r"input 0 is torch.float32 \(4, 33\) on cpu; this kernel was written for"):
        model(x[:4])


def test_an_export_for_several_shapes_chooses_by_shape_and_refuses_one_that_it_does_not_know(tmp_path: Path) -> None:
    weight = torch.randn(33)
    shapes = [torch.randn(8, 33), torch.randn(1, 33), torch.randn(300, 33)]
    first, *others = (scaled_graph(x, weight) for x in shapes)
    map_kernels.write(tmp_path / "several", first, others=others)
    manifest = json.loads((tmp_path / "several" / "manifest.json").read_text())
    assert [x["function"] for x in manifest["variants"]] == [f"kernelmesh_run_{i}" for i in range(3)]
    assert manifest["arguments"] == manifest["outputs"] == []
    model = map_kernels.load(tmp_path / "several").ModelNew()
    model.load_state_dict({"scale.weight": weight})
    for x in (*shapes, shapes[0]):
        assert torch.equal(model(x), torch.relu(x * weight))
    said = "no kernel was written for inputs of shape (4, 33); there are kernels for (8, 33); (1, 33); (300, 33)"
    with pytest.raises(ValueError, match=re.escape(said)):
        model(torch.randn(4, 33))
    with pytest.raises(ValueError, match="input 0 is torch.float64"):
        model(shapes[0].double())


BARE = """
import importlib.util, sys, torch
described = importlib.util.spec_from_file_location("export", sys.argv[1])
module = importlib.util.module_from_spec(described)
described.loader.exec_module(module)
x = torch.randn(8, 33)
w = torch.randn(33)
model = module.ModelNew()
model.load_state_dict({"scale.weight": w})
assert torch.equal(model(x), torch.relu(x * w))
assert not [name for name in sys.modules if "kernelmesh" in name]
"""


def test_an_export_runs_in_a_bare_python_also_several_at_once(tmp_path: Path) -> None:
    map_kernels.write(tmp_path / "bare", scaled_graph(torch.randn(8, 33), torch.randn(33)))
    command = [sys.executable, "-c", BARE, str(tmp_path / "bare" / "export.py")]
    environment = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(tmp_path / "shared")}
    running = [subprocess.Popen(command, env=environment, cwd="/") for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    cached = list((tmp_path / "shared" / "kernelmesh" / "exports").iterdir())
    assert len(cached) == 1 and cached[0].suffix == ".so"


def test_an_export_takes_a_compiler_with_its_launcher_and_names_one_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    x = torch.randn(4, 8)
    monkeypatch.setenv("CXX", "no-such-compiler -v")
    with pytest.raises(RuntimeError, match=r"^there is no no-such-compiler, .*apt install g\+\+.* CXX$"):
        map_kernels.unary(tmp_path / "missing", "relu", x)
    monkeypatch.setenv("CXX", "env g++")
    assert torch.equal(map_kernels.unary(tmp_path / "launched", "relu", x)(x), torch.relu(x))


def test_what_no_recipe_covers_is_named(tmp_path: Path) -> None:
    x = torch.randn(4, 4)
    said = map_kernels.write(
        tmp_path / "no", map_kernels.graph([map_kernels.value("x", 0, x)], [map_kernels.node("y", "mm", x, self="x")])
    )
    assert said.strip() == "not covered: aten.mm"
