"""Tasks that can't be used are refused with a sentence and a line."""

from __future__ import annotations

import pytest
from family import Family, is_bad
from test_judging import ANSWERED, TASK, candidate, verified

REFUSED = {
    "a syntax error": ("import torch\nclass Model(:\n", 2, "no valid Python"),
    "no Model": ("def get_inputs(): return []\n", 0, "defines no Model"),
    "no get_inputs": ("class Model: pass\n", 0, "defines no get_inputs"),
    "a raise at import": ("x = 1\nraise RuntimeError('not today')\n", 2, "RuntimeError: not today"),
    "a package that is not there": ("x = 1\nimport no_such_package\n", 2, "it needs the package no_such_package, "),
    "a part that is not there": ("import torch.no_such_part\n", 1, "importing it raised ModuleNotFoundError"),
    "an exit at import": ("import sys\nsys.exit(3)\n", 2, "SystemExit"),
    "a raise in forward": (TASK.replace("return torch.relu", "assert False\n        torch.relu"), 13, "AssertionError"),
    "a raise in get_inputs": (TASK.replace("return [torch.rand", "return [torch.nothing"), 16, "get_inputs raised"),
    "a raise of what is no Exception": (TASK.replace("return [torch.rand", "raise BaseException('no') #"), 16, "no"),
    "an input that holds itself": (TASK.replace("return [torch", "x = []; x.append(x); return [x, torch"), 0, "itself"),
    "an input without numbers": (TASK.replace("ROWS, 16)]", "ROWS, 16, device='meta')]"), 0, "meta tensor"),
    "a raise in __init__": (TASK.replace("nn.Linear(width", "nn.Linear(-1"), 10, "building Model raised"),
    "arguments that nothing gives": (TASK.replace("get_init_inputs", "init"), 0, "without get_init_inputs raised"),
    "outputs by name": (TASK.replace("return torch.relu(self.linear(x))", "return {'y': x}"), 0, "returns a dict"),
    "outputs of complex numbers": (TASK.replace("torch.relu(", "torch.fft.fft("), 0, "complex64"),
    "inputs that are no list": (TASK.replace("return [torch.rand(ROWS, 16)]", "return 5"), 0, "returns a int"),
    "inputs that can't be lent": (TASK.replace("return [torch.rand(ROWS, 16)]", "return [object()]"), 13, "forward"),
    "a model that is none": ("class Model: pass\ndef get_inputs(): return []\n", 0, "no torch.nn.Module"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(family: Family, name: str) -> None:
    code, line, said = REFUSED[name]
    kind, record = family.judge_python(code, ANSWERED)
    assert kind == "task_refused"
    assert said in record["message"]
    assert "\n" not in record["message"]
    if line:
        assert record["line"] == line


def test_an_override_of_nothing_is_refused(family: Family) -> None:
    kind, record = family.judge_python(TASK, ANSWERED, task_fields={"overrides": {"COLUMNS": 3}})
    assert kind == "task_refused"
    assert "COLUMNS" in record["message"]


def test_changing_shapes_are_refused(family: Family) -> None:
    task = TASK.replace("ROWS = 64", "import random").replace("ROWS", "random.randrange(1, 10**6)")
    task = task.replace("16)]", "16)[:1 + random.randrange(50)]]").replace("random.randrange(1, 10**6)", "64")
    kind, record = family.judge_python(task, ANSWERED)
    assert (kind, record["message"]) == ("task_refused", "get_inputs returns other shapes each time it is called")


def test_a_task_that_draws_in_its_forward_is_refused(family: Family) -> None:
    task = TASK.replace("def forward(self, x):", "def forward(self, x):\n        x = torch.dropout(x, 0.5, True)")
    assert task != TASK
    kind, record = family.judge_python(task, ANSWERED)
    assert kind == "task_refused"
    assert "something else each time" in record["message"]


def test_a_task_is_traced(family: Family) -> None:
    kind, record = family.ask("trace", {"task": {"name": "task", "code": TASK}, "device": "cpu:0"})
    assert kind == "traced", record
    assert record["graph"]["task"] == "task"
    assert sorted(x["origin"] for x in record["graph"]["values"]) == ["input", "parameter", "parameter"]


def test_a_task_that_memory_has_no_room_for_is_refused_before_it_takes_any(family: Family) -> None:
    code = TASK.replace("ROWS = 64", "ROWS = 1 << 38")
    kind, record = family.ask("trace", {"task": {"name": "task", "code": code}, "device": "cpu:0"})
    assert kind == "task_refused"
    assert "its inputs and outputs take 26388.3 GB" in record["message"] and "GB of free memory" in record["message"]


def test_a_bad_task_is_refused_by_a_trace_too(family: Family) -> None:
    kind, record = family.ask("trace", {"task": {"name": "task", "code": "raise ValueError(1)"}, "device": "cpu:0"})
    assert (kind, record["line"]) == ("task_refused", 1)


def test_a_raise_in_a_traced_forward_has_its_line(family: Family) -> None:
    code = TASK.replace("return torch.relu", "x.no_such_member\n        return torch.relu")
    kind, record = family.ask("trace", {"task": {"name": "task", "code": code}, "device": "cpu:0"})
    assert (kind, record["line"]) == ("task_refused", 13), record
    assert "no_such_member" in record["message"]


def test_a_task_whose_own_inputs_have_nan_and_infinity_is_judged(family: Family) -> None:
    task = TASK.replace(
        "return [torch.rand(ROWS, 16)]",
        """
    x = torch.rand(ROWS, 16)
    x[3], x[5] = float("nan"), float("inf")
    return [x]""",
    )
    assert task != TASK
    assert not any(is_bad(x) for x in verified(family.judge_python(task, candidate("return y")))["draws"])
    missed = verified(family.judge_python(task, candidate("return y.nan_to_num()")))["draws"]
    assert missed[0]["outputs"][0]["non_finite_mismatch"] > 0
