"""A task's code leaves the judge as it found it."""

from __future__ import annotations

import random

import numpy
import pytest
import torch
from kernelmesh_worker.task import Task, TaskRefused

CHANGES = """
import random
import numpy
import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(torch.get_num_threads() + 1)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)
torch.set_float32_matmul_precision("medium")
torch.set_flush_denormal(True)
for name in ("rand", "randn", "rand_like", "randn_like", "manual_seed"):
    setattr(torch, name, lambda *arguments, **options: 7)
random.seed(1)
numpy.random.seed(1)
torch.random.manual_seed(1)
torch.set_default_device("meta")
"""
WHOLE = "class Model(torch.nn.Module): pass\ndef get_inputs(): return []\n"


def state() -> list[object]:
    functions = [getattr(torch, name) for name in ("rand", "randn", "rand_like", "randn_like", "manual_seed")]
    return [
        *functions,
        torch.get_default_dtype(),
        torch.get_num_threads(),
        torch.is_grad_enabled(),
        torch.are_deterministic_algorithms_enabled(),
        torch.get_float32_matmul_precision(),
        torch.empty(1).device,
        (torch.tensor([1e-39], dtype=torch.float32, device="cpu") * 1).item() == 0,
        torch.get_rng_state().tolist(),
        random.getstate(),
        numpy.random.get_state()[1].tolist(),
    ]


def test_what_a_task_set_is_as_before_when_it_is_closed() -> None:
    before = state()
    task = Task({"name": "changes", "code": CHANGES + WHOLE})
    try:
        inside = state()
    finally:
        task.close()
    assert all(x != y for x, y in zip(inside, before, strict=True)), "the task is to change all of them"
    assert state() == before


def test_a_task_that_is_refused_leaves_nothing_either() -> None:
    before = state()
    with pytest.raises(TaskRefused):
        Task({"name": "changes", "code": CHANGES + "raise ValueError('no')\n"})
    assert state() == before
