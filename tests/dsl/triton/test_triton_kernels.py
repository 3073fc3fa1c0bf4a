"""Models through tracing, planning and Triton to binaries for sm_90, which needs no GPU; tests/gpu runs them."""

from __future__ import annotations

import ast
import importlib.util
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import pytest
import torch
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "gpu" / "triton"), str(ROOT / "devices" / "worker")]
import triton_cases  # noqa: E402
from triton_cases import Case, several  # noqa: E402

pytestmark = [
    pytest.mark.skipif(triton_cases.writer() is None, reason="kernel_writer is not built"),
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed"),
]


def record_of(case: Case, folder: Path) -> dict[str, Any]:
    """The built record of the candidate that the rules write."""
    described = importlib.util.spec_from_file_location("triton_adapter", ROOT / "dsl" / "triton" / "adapter.py")
    assert described is not None and described.loader is not None
    adapter = importlib.util.module_from_spec(described)
    described.loader.exec_module(adapter)
    program = triton_cases.writer()
    assert program is not None
    said = triton_cases.write(case, folder / "candidate", program)
    assert not said, said
    (folder / "out").mkdir()
    manifest = json.loads((folder / "candidate" / "manifest.json").read_text())
    files = {x["path"]: str(folder / "candidate" / x["path"]) for x in manifest["sources"]}
    request = adapter.CompileRequest(manifest, files, "sm_90a", str(folder / "out"), 120.0, 1)
    result = adapter.compile(request)
    assert result.ok, result.message + result.log
    return msgpack.unpackb((folder / "out" / result.artifact).read_bytes())


def random_chain(seed: int) -> Case:
    """Operators over three tensors that broadcast."""
    chosen = random.Random(seed)
    unary: list[Callable[[Any], Any]] = [torch.relu, torch.tanh, functional.gelu, torch.exp, functional.mish, torch.abs]
    binary: list[Callable[[Any, Any], Any]] = [torch.add, torch.mul, torch.maximum, torch.div]
    steps = [(chosen.choice(unary), chosen.choice(binary), chosen.randrange(3)) for _ in range(3)]

    def chain(*x: torch.Tensor) -> torch.Tensor:
        y = x[0]
        for one, two, other in steps:
            y = two(one(y), x[other])
        return y

    def squashed(*x: torch.Tensor) -> torch.Tensor:
        return chain(*x).softmax(-1).sum(1)

    return several(f"chain_{seed}", [squashed], (3, 50, 70), (50, 1), (70,))


LONG = [
    random_chain(2),
    random_chain(3),
    several("columns", [lambda x: x.var(0), lambda x: x.argmax(0)], (900, 40)),
    several("product", [lambda a, b: torch.tril(a @ b)], (100, 70), (70, 100)),
]
CASES = [
    random_chain(1),
    several("divided", [lambda x: x.softmax(-1)], (4, 9001), knobs={"split": "on", "longest": 1024, "block": 1024}),
    Case("linear", lambda: triton_cases.Linear(200, 150), [(130, 200)], {"scheme": "planes", "loads": "descriptors"}),
]


@pytest.mark.parametrize(
    "case", [*CASES, *(pytest.param(x, marks=pytest.mark.long) for x in LONG)], ids=lambda x: x.name
)
def test_candidates_become_binaries(case: Case, tmp_path: Path) -> None:
    record = record_of(case, tmp_path)
    assert record["arch"] == "sm_90a"
    launches = [x["launch"] for x in record["operations"] if "launch" in x]
    assert {x["image"] for x in launches} == set(range(len(record["images"])))
    assert all(x["block"]["x"] % 32 == 0 and x["shared_bytes"] <= 232448 for x in launches)
    used = [p["place"] for x in launches for y in x["parameters"] for p in y["pointers"]]
    assert all(p["index"] < len(record["scratch"]) for p in used if p["buffer"] == "scratch")
    if case.name == "linear":  # descriptors are made in memory that Triton asks for
        assert len(record["scratch"]) == 7
    exported = (tmp_path / "candidate" / "export.py").read_text()
    ast.parse(exported)
    assert "class ModelNew" in exported
