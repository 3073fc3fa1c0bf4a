"""What timed calls are given where drawing takes long: mixed of known draws, and named after what is in them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from kernelmesh_worker import timing
from kernelmesh_worker.draws import Draw, Drawn


def draw_of(kind: str) -> tuple[Draw, Drawn]:
    size = 100.0 if kind == "scaled_up" else 1.0
    return Draw("00", kind), Drawn([torch.rand(64) * size + 0.5 * size], [True])


def test_contents_with_numbers_of_another_kind_are_not_called_the_tasks_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "_CHEAP_DRAW_S", 0.0)  # as if drawing took long
    contest = SimpleNamespace(
        more=lambda index, kind: Draw("00", kind),
        drawn=lambda wanted: draw_of(wanted.kind),
        fit=lambda wanted: draw_of(wanted.kind),
        reference=SimpleNamespace(eager=lambda values: values),
    )
    contents = timing.Contents(contest)
    for _ in range(200):
        content = contents.next()
        assert content.probe == "mixed"
        usual = content.inputs[0].abs().median()
        if content.draw.kind == "own":
            assert usual < 10
    assert contents.next().draw.kind in timing.KINDS
