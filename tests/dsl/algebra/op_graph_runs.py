"""Traces functions to op graphs, has them simplified by the program simplify_graph, and runs op graphs with torch.

KERNELMESH_BUILD names the folder of the program, build/dev if unset.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "devices" / "worker"))

from kernelmesh_worker.trace import trace_model  # noqa: E402

PROGRAM = ROOT / os.environ.get("KERNELMESH_BUILD", "build/dev") / "simplify_graph"
Graph = dict[str, Any]


class Case(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


@dataclass(frozen=True)
class Simplified:
    before: Graph
    after: Graph
    rules: list[str]
    read: dict[str, int]


def simplified(function: Callable[..., Any], inputs: list[Tensor]) -> Simplified:
    model = function if isinstance(function, torch.nn.Module) else Case(function)
    graph = trace_model(model, inputs, "case")
    asked = json.dumps(json_ready(graph)) + "\n"
    done = subprocess.run([str(PROGRAM)], input=asked, capture_output=True, text=True, timeout=60, check=True)
    answer = json.loads(done.stdout)
    assert answer["refused"] == ""
    assert answer["floor_bytes"] == graph["floor_bytes"]
    return Simplified(graph, answer["graph"], answer["rules"], answer["read"])


def json_ready(x: Any) -> Any:
    """Non-finite numbers as the wire's JSON writes them."""
    if isinstance(x, dict):
        return {key: json_ready(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [json_ready(value) for value in x]
    if isinstance(x, float) and not math.isfinite(x):
        return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"
    return x


def run(graph: Graph, inputs: list[Tensor], state: dict[str, Tensor] | None = None) -> list[Tensor]:
    """The outputs. Each node must have the dtype and shape that the graph says."""
    known: dict[str, Tensor] = {}
    for value in graph["values"]:
        if value["origin"] == "input":
            known[value["name"]] = inputs[value["index"]]
        elif value["path"]:
            known[value["name"]] = (state or {})[value["path"]]
        elif value["number"] is not None:
            known[value["name"]] = torch.tensor(float(value["number"]), dtype=getattr(torch, value["spec"]["dtype"]))
    for node in graph["nodes"]:
        result = _call(node, known)
        assert list(result.shape) == node["output"]["shape"], node
        assert str(result.dtype) == f"torch.{node['output']['dtype']}", node
        known[node["name"]] = result
    return [known[name] for name in graph["outputs"]]


def _call(node: dict[str, Any], known: dict[str, Tensor]) -> Tensor:
    operator = getattr(getattr(torch.ops.aten, node["op"].removeprefix("aten.")), node["overload"])
    given = {x["name"]: _content(x["content"], known) for x in node["arguments"]}
    positional, keywords = [], {}
    for declared in operator._schema.arguments:
        if declared.name in given and declared.kwarg_only:
            keywords[declared.name] = given[declared.name]
        elif not declared.kwarg_only:
            positional.append(given[declared.name] if declared.name in given else declared.default_value)
    assert set(given) <= {x.name for x in operator._schema.arguments}, node
    result = operator(*positional, **keywords)
    return result[node["result"]] if isinstance(result, (tuple, list)) else result


def _content(content: dict[str, Any], known: dict[str, Tensor]) -> Any:
    ((kind, fields),) = content.items()
    if kind == "value":
        return known[fields["name"]]
    if kind == "values":
        return [known[name] if name else None for name in fields["names"]]
    if kind == "none":
        return None
    (value,) = fields.values()
    if kind == "text":
        return getattr(torch, value, value)
    return float(value) if kind == "real" else value


def draw(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64)


def agree(x: Simplified, inputs: list[Tensor], tolerance: float = 1e-9) -> None:
    """Where the results before are finite; NaN and infinities may have become others."""
    before, after = run(x.before, inputs), run(x.after, inputs)
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert old.shape == new.shape and old.dtype == new.dtype
        finite = old.isfinite() if old.is_floating_point() else torch.ones_like(old, dtype=torch.bool)
        torch.testing.assert_close(new[finite], old[finite], rtol=tolerance, atol=tolerance)


def same_outputs(x: Simplified) -> None:
    """What a candidate has to deliver is not touched: dtype, shape and strides."""

    def specs(graph: dict[str, Any]) -> list[Any]:
        known = {one["name"]: one.get("output", one.get("spec")) for one in graph["values"] + graph["nodes"]}
        laid = [known[name] for name in graph["outputs"]]
        return [
            (s["dtype"], s["shape"], [step for step, size in zip(s["strides"], s["shape"], strict=True) if size > 1])
            for s in laid
        ]

    assert specs(x.before) == specs(x.after)
    assert x.before["values"] == x.after["values"]
