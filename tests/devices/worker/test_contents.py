"""What timed calls are given where drawing takes long: mixed of known draws, and named after what is in them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from kernelmesh_worker import contents as timed
from kernelmesh_worker.draws import Draw, Drawn
from kernelmesh_worker.probes import Mixer

SIZE = 64


def draw_of(kind: str) -> tuple[Draw, Drawn]:
    size = 100.0 if kind == "scaled_up" else 1.0
    return Draw("00", kind), Drawn([torch.rand(SIZE) * size + 0.5 * size], [True])


def contents_of(drawn: Callable[[str], tuple[Draw, Drawn]], output_bytes: int = 64) -> timed.Contents:
    """Of a task whose draws of a kind are these and whose forward takes all of them."""
    outputs = [torch.empty(output_bytes, dtype=torch.uint8, device="meta")]
    contest = SimpleNamespace(
        more=lambda index, kind: Draw("00", kind),
        drawn=lambda wanted: drawn(wanted.kind),
        fit=lambda wanted: drawn(wanted.kind),
        first=drawn("own")[1],
        reference=SimpleNamespace(eager=lambda values: values, output_shapes=lambda values: outputs),
    )
    return timed.Contents(contest)


def test_contents_with_numbers_of_another_kind_are_not_called_the_tasks_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "_CHEAP_DRAW_S", 0.0)  # as if drawing took long
    contents = contents_of(draw_of)
    for _ in range(200):
        content = contents.next()
        assert content.probe == "mixed"
        usual = content.inputs[0].abs().median()
        if content.draw.kind == "own":
            assert usual < 10
    assert contents.next().draw.kind in timed.KINDS


def test_contents_become_of_every_kind_as_more_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "_CHEAP_DRAW_S", 0.0)
    contents = contents_of(draw_of)
    assert {contents.next().draw.kind for _ in range(5)} <= {"own", "signed"}
    assert {contents.next().draw.kind for _ in range(300)} == {*timed.KINDS} - {"own"}


def test_contents_are_no_longer_mixed_when_a_later_draw_shows_that_they_can_not_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timed, "_CHEAP_DRAW_S", 0.0)

    def drawn(kind: str) -> tuple[Draw, Drawn]:
        return Draw("00", kind), Drawn([torch.rand(SIZE), int(kind == "shifted")], [True, False])

    contents = contents_of(drawn)
    assert contents.next().probe == "mixed"
    assert [contents.next().probe for _ in range(60)][-1] == ""


def test_where_outputs_leave_no_room_contents_are_drawn_anew_for_each_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "_CHEAP_DRAW_S", 0.0)
    assert contents_of(draw_of, output_bytes=1 << 50).next().probe == ""


def test_no_part_of_mixed_contents_is_a_multiple_of_what_was_there() -> None:
    (_, a), (_, b) = draw_of("own"), draw_of("signed")
    mixer = Mixer(a)
    for _ in range(50):
        (mixed,) = mixer.mixed(a, b.values)
        for known in (a.values[0], b.values[0]):
            ratios = (mixed / known).view(-1, 8)
            assert not bool((ratios == ratios[:, :1]).all(dim=1).any())


@pytest.mark.parametrize("varies", [False, True])
def test_contents_are_mixed_only_where_what_is_not_mixed_is_the_same_in_all_draws(
    monkeypatch: pytest.MonkeyPatch, varies: bool
) -> None:
    monkeypatch.setattr(timed, "_CHEAP_DRAW_S", 0.0)

    def drawn(kind: str) -> tuple[Draw, Drawn]:
        computed = torch.rand(SIZE).sort().values if varies else torch.ones(SIZE)
        return Draw("00", kind), Drawn([torch.rand(SIZE), [computed], 3], [True, False, False])

    contents = contents_of(drawn)
    seen = [contents.next() for _ in range(20)]
    assert {x.probe for x in seen} == ({""} if varies else {"mixed"})
    assert len({tuple(x.inputs[0].tolist()) for x in seen}) == len(seen)
