"""A candidate whose record will be timed in its place takes turns itself before that, as if it were timed: what it does
when it is called often, late, or on streams that nobody waits for is not in the record of two calls."""

from __future__ import annotations

import random
import time

from kernelmesh_worker.checking import Checks, Figures, badness
from kernelmesh_worker.contender import Contender, at_last
from kernelmesh_worker.contents import Content, Contents
from kernelmesh_worker.contest import Contest

_FEWEST_TURNS, _MOST_TURNS = 24, 40
_LEAST_TURNS, _LONGEST_S = 6, 0.4  # of a slow one
_KEPT = 2

_SECRET = random.SystemRandom()


def rehearse(contest: Contest, checks: Checks) -> list[Figures]:
    """Figures of its worst turns and of one by chance. It stands stopped then. CandidateEnded."""
    side, contents = Contender(checks.arena, checks.process), Contents(contest)
    side.process.stop()
    turns = _SECRET.randrange(_FEWEST_TURNS, _MOST_TURNS + 1)
    surely = _SECRET.randrange(_LEAST_TURNS)
    kept: list[Figures] = []
    start = time.monotonic()
    for i in range(turns):
        if i >= _LEAST_TURNS and time.monotonic() - start > _LONGEST_S:
            break
        if figures := _turn(side, checks, contents.next(), look=i == surely):
            kept = sorted([*kept, figures], key=badness, reverse=True)[:_KEPT]
    return kept


def _turn(side: Contender, checks: Checks, content: Content, look: bool) -> Figures | None:
    """Nothing of one whose outputs agree with eager's, unless it is to be looked at."""
    at_last(lambda: side.turn(content, deliver=True))
    changed = side.has_changed(content)
    if not (changed or look) and side.agrees(checks.reference.eager_with_buffers(content.inputs), checks.tolerance):
        return None
    expected = checks.reference.expected(content.inputs)
    return checks.figures_of(content.draw, expected, side.delivered, changed) | {"probe": content.probe}
