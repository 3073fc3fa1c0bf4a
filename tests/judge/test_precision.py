"""Honest kernels of every precision on matmul-like problems and reductions: each is classified by what it does.

Kernels that emulate float32 by parts of smaller numbers are float32's; rounding the operands is what a class means.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import Bench
from corpus import HERE, Candidate

KERNELS = HERE / "precision" / "kernels.cpp"
TASKS = sorted((HERE / "precision" / "tasks").glob("*.py"))
FLOAT32 = ("simt", "pairwise", "bf16x3", "tf32x3", "fp16x2")
# Halves have as many bits as TF32: where nothing overflows their errors are alike.
SMALLER = {"tf32": {"tf32"}, "fp16": {"fp16", "tf32"}, "bf16": {"bf16"}}
MODES = (*FLOAT32, *SMALLER)
_REFUSED = {"precision_downgrade", "wrong_values", "non_finite"}


def candidate_of(task: Path, mode: str) -> Candidate:
    kernel = task.read_text(encoding="utf-8").splitlines()[0].removeprefix("# kernel: ")
    return Candidate(f"{task.stem}-{mode}", KERNELS, f"../precision/tasks/{task.stem}", function=f"{kernel}_{mode}")


def pairs() -> list[object]:
    """All are long but for two modes a task: one of float32's and one of all in turn."""
    found = []
    for i, task in enumerate(TASKS):
        short = {MODES[i % len(MODES)], (*FLOAT32, "tf32")[i % 6]}
        for mode in MODES:
            marks = [] if mode in short else [pytest.mark.long]
            found.append(pytest.param(task, mode, id=f"{task.stem}-{mode}", marks=marks))
    return found


@pytest.mark.parametrize(("task", "mode"), pairs())
def test_a_kernel_is_classified_by_its_errors(bench: Bench, task: Path, mode: str) -> None:
    verdict = bench.verdict(candidate_of(task, mode), time=False)
    if mode in FLOAT32:
        assert verdict.kind == "passed", str(verdict)
        assert verdict.judging["precision"] == "fp32"
        return
    assert verdict.kind in _REFUSED, str(verdict)
    assert verdict.kind != "precision_downgrade" or verdict.details["precision"] in SMALLER[mode], str(verdict)
