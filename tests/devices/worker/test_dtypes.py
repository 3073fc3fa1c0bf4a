"""In which dtype a task is judged and traced: its own, unless one is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from family import Family, is_bad

TASK = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {weights}

    def forward(self, x, *more):
        return {forward}


def get_inputs():
    return [{inputs}]
"""
OWN = {"own_dtype": True}
LINEAR = "self.linear = nn.Linear(16, 8)"


def task(inputs: str, forward: str = "torch.tanh(x) * x", weights: str = "pass") -> str:
    return TASK.format(inputs=inputs, forward=forward, weights=weights)


def judged(family: Family, code: str, candidate: str = "", **fields: Any) -> dict[str, Any]:
    text = candidate or code.replace("class Model", "class ModelNew")
    kind, record = family.judge_python(code, text, task_fields=fields or OWN)
    assert kind == "verified", record
    figures = record["figures"]
    assert figures["fate"]["end"] == "finished", figures["fate"]
    return figures


def traced(family: Family, code: str, **fields: Any) -> dict[str, str]:
    """Dtypes by value, and that of the first output as ""."""
    record = {"name": "task", "code": code, **(fields or OWN)}
    kind, answer = family.ask("trace", {"task": record, "device": "cpu:0"})
    assert kind == "traced", answer
    graph = answer["graph"]
    outputs = {x["name"]: x["output"]["dtype"] for x in graph["nodes"]}
    return {x["name"]: x["spec"]["dtype"] for x in graph["values"]} | {"": outputs[graph["outputs"][0]]}


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [("bfloat16", 1e-2), ("float16", 1e-2), ("float64", 1e-10), ("float32", 1e-4)]
)
def test_a_task_is_judged_and_traced_in_the_dtype_of_its_own_inputs(
    family: Family, dtype: str, tolerance: float
) -> None:
    code = task(f"torch.randn(64, 16, dtype=torch.{dtype})")
    figures = judged(family, code)
    assert (figures["dtype"], figures["tolerance"]) == (dtype, tolerance)
    assert {x["outputs"][0]["expected"]["dtype"] for x in figures["draws"]} == {dtype}
    assert not any(is_bad(x) for x in figures["draws"])
    assert traced(family, code) == {"input_0": dtype, "": dtype}


def test_inputs_that_were_drawn_in_another_dtype_are_probed_too(family: Family) -> None:
    figures = judged(family, task("torch.randn(64, 16).to(torch.bfloat16)"))
    assert {x.get("probe") for x in figures["draws"]} >= {"one_changed", "permuted"}


def test_float32_inside_is_too_coarse_for_a_float64_task(family: Family) -> None:
    code = task("torch.randn(64, 16, dtype=torch.float64)")
    narrow = code.replace("class Model", "class ModelNew").replace("return torch", "x = x.float(); return torch", 1)
    narrow = narrow.replace("* x\n", "* x + torch.zeros(1, dtype=torch.float64)\n")
    assert all(is_bad(x) for x in judged(family, code, narrow)["draws"] if x["kind"] == "own")


def test_a_float64_task_that_goes_through_float32_is_held_to_that(family: Family) -> None:
    code = task("torch.randn(64, 16, dtype=torch.float64)", "torch.tanh(x.float()).double()")
    other = code.replace("class Model", "class ModelNew").replace("torch.tanh(x.float())", "torch.tanh(x).float()")
    assert not any(is_bad(x) for x in judged(family, code, other)["draws"])


def test_weights_of_another_dtype_stay_where_forward_takes_them_so(family: Family) -> None:
    weights = "self.scale = nn.Parameter(torch.rand(8))"
    code = task("torch.randn(64, 8, dtype=torch.bfloat16)", "x * self.scale", weights)
    figures = judged(family, code)
    assert figures["draws"][0]["outputs"][0]["expected"]["dtype"] == "float32"
    assert not any(is_bad(x) for x in figures["draws"])
    assert traced(family, code) == {"input_0": "bfloat16", "p_scale": "float32", "": "float32"}


def test_weights_are_cast_to_the_inputs_where_forward_takes_them_only_so(family: Family) -> None:
    code = task("torch.randn(64, 16, dtype=torch.bfloat16)", "self.linear(x)", LINEAR)
    figures = judged(family, code)
    assert figures["draws"][0]["outputs"][0]["expected"]["dtype"] == "bfloat16"
    assert not any(is_bad(x) for x in figures["draws"])
    found = traced(family, code)
    assert found["p_linear_weight"] == found[""] == "bfloat16"


def test_inputs_of_several_dtypes_keep_each_its_own(family: Family) -> None:
    code = task("torch.randn(8, 8, dtype=torch.float16), torch.randn(8, 8)", "x * more[0]")
    assert judged(family, code)["dtype"] == "float16 and float32"
    assert traced(family, code) == {"input_0": "float16", "input_1": "float32", "": "float32"}


def test_without_floating_inputs_the_weights_say_the_dtype(family: Family) -> None:
    code = task("torch.randint(0, 9, (32,))", "self.rows(x) * 2", "self.rows = nn.Embedding(9, 4, dtype=torch.float64)")
    assert judged(family, code)["dtype"] == "float64"


def test_a_dtype_that_is_asked_for_is_cast_to_and_so_is_one_of_older_records(family: Family) -> None:
    code = task("torch.randn(64, 16, dtype=torch.float16)", "self.linear(x)", LINEAR)
    assert judged(family, code, dtype="float64")["dtype"] == "float64"
    assert traced(family, code, dtype="float64")["input_0"] == "float64"
    assert judged(family, code, dtype="float32", own_dtype=False)["dtype"] == "float32"
    assert set(traced(family, code, overrides={}).values()) == {"float32"}  # a record without either field
