"""Tasks are made smaller by what their globals do, and stay of the kind that they were."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from family import Family

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "devices" / "worker"))

from kernelmesh_worker.shrinking import half_of, shrink  # noqa: E402
from kernelmesh_worker.task import Task, TaskRefused  # noqa: E402

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
MODEL = """
class Model(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        {build}

    def forward(self, {inputs}):
        return {result}

def get_inputs():
    return [{made}]

def get_init_inputs():
    return [{arguments}]
"""
MIB = 1 << 20


def text(numbers: str, result: str, made: str, build: str = "", arguments: str = "", inputs: str = "x") -> str:
    model = MODEL.format(build=build or "pass", inputs=inputs, result=result, made=made, arguments=arguments)
    return HEAD + numbers + model


@pytest.fixture
def opened() -> Iterator[Any]:
    tasks: list[Task] = []

    def open_task(code: str, dtype: str = "float32") -> Task:
        tasks.append(Task({"name": "task", "code": code, "dtype": dtype}))
        return tasks[-1]

    yield open_task
    for task in tasks:
        task.close()


def shrunk(task: Task, limit: int) -> dict[str, int]:
    found = shrink(task, limit, "seed")
    inputs = task.inputs("seed")
    with_outputs = [*inputs, task.model(task.init_inputs("seed"), "seed")(*inputs)]
    assert sum(x.numel() * x.element_size() for x in with_outputs) <= limit
    return found


RELU = text("batch_size = 4096\ndim = 4096\n", "F.relu(x)", "torch.rand(batch_size, dim)")


def test_what_fits_is_left_as_it_is(opened: Any) -> None:
    assert shrunk(opened(RELU), 128 * MIB) == {}


def test_the_batch_goes_first_and_is_not_made_smaller_than_need_be(opened: Any) -> None:
    assert shrunk(opened(RELU), 16 * MIB) == {"batch_size": 512}


def test_a_narrower_type_leaves_room_for_more(opened: Any) -> None:
    assert shrunk(opened(RELU, "float16"), 16 * MIB) == {"batch_size": 1024}


def test_sides_follow_where_a_batch_of_sixteen_is_still_too_large(opened: Any) -> None:
    task = text("batch_size = 64\nchannels = 8\nheight = 512\nwidth = 512\n", "F.relu(x)",
                "torch.rand(batch_size, channels, height, width)")  # fmt: skip
    found = shrunk(opened(task), 4 * MIB)
    assert found["height"] == found["width"] < 512
    assert found["batch_size"] >= 16 and "channels" not in found


def test_what_reaches_the_constructor_is_left_alone(opened: Any) -> None:
    task = text("rows = 8192\nfeatures = 64\nouter = 2048\n", "self.norm(x)", "torch.rand(rows, 4, outer)",
                "self.norm = nn.LayerNorm(arguments[0])", "outer")  # fmt: skip
    assert shrunk(opened(task), 16 * MIB) == {"rows": 256}


def test_globals_that_only_work_together_move_together(opened: Any) -> None:
    task = text("batch_size = 2048\ninput_shape = (2048,)\n", "torch.mean(torch.clamp(1 - x * y, min=0))",
                "torch.rand(batch_size, *input_shape), torch.randint(0, 2, (batch_size,)).float() * 2 - 1",
                inputs="x, y")  # fmt: skip
    assert shrunk(opened(task), 2 * MIB) == {"batch_size": 512, "input_shape.0": 512}


def test_both_sides_of_a_product_shrink_while_the_thin_one_stays(opened: Any) -> None:
    task = text("M = 8192\nN = 32\n", "x @ y", "torch.rand(M, N), torch.rand(N, M)", inputs="x, y")
    assert shrunk(opened(task), 8 * MIB) == {"M": 1024}


def test_batch_normalisation_keeps_sixteen(opened: Any) -> None:
    made = "torch.rand(batch_size, 4, height, width)"
    task = text("batch_size = 64\nheight = 64\nwidth = 64\n", "self.norm(x)", made, "self.norm = nn.BatchNorm2d(4)")
    found = shrunk(opened(task), MIB // 8)
    assert found["batch_size"] == 16 and found["height"] == found["width"] < 32


def test_what_needs_a_minimum_size_is_not_made_empty(opened: Any) -> None:
    numbers, made = "batch_size = 64\nlength = 65536\n", "torch.rand(batch_size, 2, length)"
    task = text(numbers, "F.avg_pool1d(x, *self.window)", made, "self.window = arguments", "24, 24")
    found = shrunk(opened(task), 8 << 10)
    assert found["length"] >= 24


def test_a_forward_that_reads_values_is_measured_by_running_it(opened: Any) -> None:
    task = text("batch_size = 65536\n", "x * float(x.sum().item() > 0)", "torch.rand(batch_size, 16)")
    assert shrunk(opened(task), MIB) == {"batch_size": 8192}


def test_inputs_of_numpy_are_measured_by_making_them(opened: Any) -> None:
    made = "torch.from_numpy(numpy.ones((batch_size, 16), dtype='float32'))"
    task = "import numpy\n" + text("batch_size = 65536\n", "F.relu(x)", made)
    assert shrunk(opened(task), MIB) == {"batch_size": 8192}


def test_what_can_not_be_made_to_fit_is_refused_with_the_sizes(opened: Any) -> None:
    with pytest.raises(TaskRefused, match=r"of 8 MiB can't be shrunk to 1 MiB: no global can be made smaller"):
        shrink(opened(text("", "F.relu(x)", "torch.rand(1024, 1024)")), MIB, "seed")
    with pytest.raises(TaskRefused, match="can't be shrunk to 9.537e-07 MiB"):
        shrink(opened(RELU), 1, "seed")


def test_a_task_that_can_not_be_run_is_refused_for_that(opened: Any) -> None:
    with pytest.raises(TaskRefused, match="no_such"):
        shrink(opened(text("n = 1024\n", "x.no_such", "torch.rand(n, n)")), MIB, "seed")


def test_a_refused_task_has_its_own_numbers_again(opened: Any) -> None:
    task = opened(RELU)
    with pytest.raises(TaskRefused):
        shrink(task, 1, "seed")
    assert task.whole_numbers() == {"batch_size": 4096, "dim": 4096}


@pytest.mark.parametrize("value", [*range(2, 200), 393216, 65535, 524280])
@pytest.mark.parametrize("divisors", [frozenset(), frozenset({3}), frozenset({4, 7})])
def test_a_half_is_smaller_and_as_odd_as_before(value: int, divisors: frozenset[int]) -> None:
    half = half_of(value, divisors)
    assert value // 4 <= half <= value // 2 and half >= 1
    if value >= 128:
        assert half % 2 == value % 2
        assert all((half % k == 0) == (value % k == 0) for k in divisors)


def test_a_judge_traces_the_smaller_task_and_says_what_it_replaced(family: Family) -> None:
    task = {"name": "task", "code": RELU, "shrink_to_bytes": 16 * MIB}
    kind, record = family.ask("trace", {"task": task, "device": "cpu:0"})
    assert kind == "traced", record
    assert record["shrunk"] == {"batch_size": 512}
    assert record["graph"]["values"][0]["spec"]["shape"] == [512, 4096]
