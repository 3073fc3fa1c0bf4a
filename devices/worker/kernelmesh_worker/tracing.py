"""The trace command: builds the task without its memory where that works, and has it traced."""

from __future__ import annotations

import secrets
from typing import Any

from torch._subclasses.fake_tensor import FakeTensorMode

from kernelmesh_worker import task_mark
from kernelmesh_worker.device import here
from kernelmesh_worker.shapes import LISTS
from kernelmesh_worker.shrinking import shrink
from kernelmesh_worker.task import Task, TaskRefused
from kernelmesh_worker.task_dtype import odd_one_out
from kernelmesh_worker.text import one_line
from kernelmesh_worker.trace import TraceRefused, trace_model

_COPIES = 2  # of inputs and outputs: at the least


def trace(record: dict[str, Any]) -> dict[str, Any]:
    """The record trace_done: the graph of the task, of the smaller one where that is asked for. TaskRefused."""
    task = Task(record)
    try:
        limit = record.get("shrink_to_bytes") or 0
        if limit and task.has_shapes:
            raise TaskRefused(f"a task with {LISTS} can't be shrunk: its shapes are what it is judged on")
        shrunk = shrink(task, limit, secrets.token_hex(8)) if limit else {}
        model, shapes = _build(task)
        with task_mark.doing("running forward"):
            graph, *others = (trace_model(model, inputs, task.name, task.dtype) for inputs in shapes)
        _check_room(max(x["floor_bytes"] for x in (graph, *others)))
        return {"graph": graph, "others": others, "shrunk": shrunk}
    except TraceRefused as refused:
        raise TaskRefused(one_line(str(refused)), task.line_of(refused.__cause__)) from None
    finally:
        task.close()


def _check_room(moved: int) -> None:
    """TaskRefused where the judge's own numbers and what it lends can't lie there side by side: it would be killed in
    the middle of its work."""
    free = here().available_memory()
    if _COPIES * moved > free:
        raise TaskRefused(
            f"its inputs and outputs take {moved / 1e9:.1f} GB, judging it {_COPIES} times that, and {here().name} has"
            f" {free / 1e9:.1f} GB of free memory: make its shapes smaller, as bench --shrink-to does"
        )


def _build(task: Task) -> tuple[Any, list[list[Any]]]:
    """The model, and inputs of each shape. Under FakeTensorMode nothing is allocated; code that looks at its numbers
    fails there and is run for real, and so is what takes its dtype from the inputs only if it must."""
    seed = secrets.token_hex(8)
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            model, shapes = task.model(task.init_inputs(seed), seed, cast=False), _inputs(task, seed)
        if task.dtype or not odd_one_out(model, shapes[0]):
            return model, shapes
    except TaskRefused:
        pass
    return task.model(task.init_inputs(seed), seed), _inputs(task, seed)


def _inputs(task: Task, seed: str) -> list[list[Any]]:
    return [x.values for x in task.drawn_shapes(seed)]
