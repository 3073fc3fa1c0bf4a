"""Is the candidate right? Figures only; what they mean is decided elsewhere.

Here is the place of the judge's further checks (replay probes, late writes, library work, other weights): each is one
more kind of checked call between load and the end.
"""

from __future__ import annotations

from typing import Any

from kernelmesh_worker.candidate_process import CandidateEnded, CandidateProcess
from kernelmesh_worker.checking import checked_call, draw_figures
from kernelmesh_worker.contest import Contest, finished
from kernelmesh_worker.draws import Draw


def verify(contest: Contest) -> dict[str, Any]:
    """The record verify_figures."""
    done: list[dict[str, Any]] = []
    fate = finished("call")
    with contest.start() as candidate:
        try:
            candidate.load()
            _check_all(contest, candidate, done)
        except CandidateEnded as ended:
            fate = ended.fate
    return contest.figures(fate) | {"tolerance": contest.tolerance, "draws": done}


def _check_all(contest: Contest, candidate: CandidateProcess, done: list[dict[str, Any]]) -> None:
    """For each draw that is not finite, one more of the task's own."""
    waiting = list(contest.draws)
    planned = len(waiting)
    while waiting:
        draw = waiting.pop(0)
        contest.progress(min(1.0, len(done) / planned), f"draw {len(done) + 1} of {planned}")
        done.append(check(contest, candidate, draw))
        if not done[-1]["finite"] and len(done) <= planned:
            waiting.append(contest.more(len(done)))


def check(contest: Contest, candidate: CandidateProcess, draw: Draw) -> dict[str, Any]:
    """One draw, from inputs to figures."""
    draw, inputs, expected = contest.expected(draw)
    got, changed = checked_call(contest.arena, candidate, inputs)
    return draw_figures(draw, expected, got, changed, contest.tolerance)
