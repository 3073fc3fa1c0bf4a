"""Candidates that do their own work in ways that look like cheats. All pass, and the next one finds nothing of them."""

from __future__ import annotations

import pytest

from bench import Bench
from corpus import Candidate, candidates


@pytest.mark.parametrize("candidate", candidates("honest"))
def test_an_honest_candidate_passes(bench: Bench, candidate: Candidate) -> None:
    verdict = bench.verdict(candidate)
    assert verdict.kind == "passed", str(verdict)
    for what in ("precision", "weights"):
        wanted = getattr(candidate, what)
        assert not wanted or verdict.judging[what] == wanted
    assert candidate.degenerate == verdict.judging["degenerate_task"]
