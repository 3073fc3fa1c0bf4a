"""What timed calls are given: never the same numbers twice, as far as the task's inputs allow."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

import torch

from kernelmesh_worker.arena import Arena
from kernelmesh_worker.contest import Contest
from kernelmesh_worker.device import here
from kernelmesh_worker.draws import KINDS, Draw, Drawn
from kernelmesh_worker.probes import Mixer
from kernelmesh_worker.task import TaskRefused
from kernelmesh_worker.values import tensors_in

ROOM = 8  # so many times what a task lends, inputs and outputs, must be free for comforts
_FIRST_CONTENTS, _MOST_CONTENTS = 2, 5
_GROW_EVERY = 6
_OWN_SHARE = 0.4  # of mixed contents: at first the task's own draw
_CHEAP_DRAW_S = 0.001  # inputs that take no longer are drawn for each pair

_SECRET = random.SystemRandom()


@dataclass
class Content:
    """Inputs that timed calls are given, by the judge's private copy."""

    draw: Draw
    inputs: list[Any]
    probe: str = ""


def is_roomy(arena: Arena) -> bool:
    """Is there memory for as much again, and for all that is made of it?"""
    return sum(x.size for x in arena.lent) * ROOM < here().available_memory()


class Contents:
    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self._count = 0
        self._pool: list[tuple[Draw, Drawn]] = []
        self._results = sum(x.nbytes for x in contest.reference.output_shapes(contest.first.values))
        self._asked = 0
        self._is_full = False
        start = time.monotonic()
        while len(self._pool) < _FIRST_CONTENTS and not self._is_full:
            self._grow()
        here().drain()
        self._cheap = time.monotonic() - start < _CHEAP_DRAW_S * len(self._pool)
        self._mixer: Mixer | None = None
        if not self._cheap and len(self._pool) > 1 and self._varies_in_raw_alone():
            mixer = Mixer(self._pool[0][1])
            self._mixer = mixer if self._takes_mixed(mixer) else None

    def _grow(self) -> None:
        """By one draw of the next kind, while there is room."""
        self._pool.append(self._drawn(KINDS[len(self._pool) % len(KINDS)]))
        size = sum(x.nbytes for x in tensors_in(self._pool[-1][1].values)) + self._results
        self._is_full = len(self._pool) == _MOST_CONTENTS or size * ROOM > here().available_memory()

    def _grow_now_and_then(self) -> None:
        """Few pairs need no more than the first draws, which take as long as many calls."""
        self._asked += 1
        if self._is_full or self._asked % _GROW_EVERY:
            return
        self._grow()
        if not self._varies_in_raw_alone():
            self._mixer = None

    def _fresh(self) -> tuple[Draw, list[Any]]:
        """Half of them as the task draws, the others as checked calls have them: timed ones look no different."""
        draw, drawn = self._drawn(_SECRET.choice(("own", _SECRET.choice(KINDS))))
        return draw, drawn.values

    def _drawn(self, kind: str) -> tuple[Draw, Drawn]:
        self._count += 1
        wanted = self._contest.more(1000 + self._count, kind)
        return self._contest.drawn(wanted) if kind == "own" else self._contest.fit(wanted)

    def _varies_in_raw_alone(self) -> bool:
        """What mixing leaves as it is must be the same in all draws: else it would come again and again."""
        first = self._pool[0][1]
        fixed = [i for i, raw in enumerate(first.raw) if not raw]
        kept = [[drawn.values[i] for i in fixed] for _, drawn in self._pool]
        return len(fixed) < len(first.raw) and all(_equal(x, kept[0]) for x in kept[1:])

    def _takes_mixed(self, mixer: Mixer) -> bool:
        """Some tasks can't live with numbers that they did not ask for."""
        (_, a), (_, b) = self._pool[:2]
        try:
            for sign in (-1, 1):
                self._contest.reference.eager(mixer.mixed(a, b.values, (sign,)))
        except TaskRefused:
            return False
        return True

    def known(self) -> Content:
        """One that may have been there before: for calls that are not timed."""
        draw, drawn = _SECRET.choice(self._pool)
        return Content(draw, drawn.values)

    def next(self) -> Content:
        """A fresh draw of any kind, or one mixed of two others where drawing takes long and mixing is possible."""
        if self._mixer is not None:
            self._grow_now_and_then()
        if self._mixer is None:
            return Content(*self._fresh())
        draw, drawn = self._pool[0] if _SECRET.random() < _OWN_SHARE else _SECRET.choice(self._pool)
        kind, other = _SECRET.choice([(x.kind, y) for x, y in self._pool if y is not drawn])
        kind = kind if draw.kind == "own" else draw.kind  # numbers of another kind are in it: errors are held as there
        return Content(Draw(draw.seed, kind), self._mixer.mixed(drawn, other.values), "mixed")


def _equal(some: Any, others: Any) -> bool:
    """The same values, tensors and nested lists of them too?"""
    if isinstance(some, torch.Tensor):
        return torch.equal(some, others)
    if isinstance(some, (list, tuple)):
        return all(_equal(x, y) for x, y in zip(some, others, strict=True))
    return bool(some == others)
