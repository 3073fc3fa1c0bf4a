"""Candidates that try to fool the judge. Each is refused for what it did, or found out to be what it is."""

from __future__ import annotations

import pytest

from bench import Bench
from corpus import Candidate, candidates

SLOW = 0.7  # of eager's speed: what such a candidate can have at most


@pytest.mark.parametrize("candidate", candidates("cheats"))
def test_a_cheat_gains_nothing(bench: Bench, candidate: Candidate) -> None:
    if candidate.sandboxed and not bench.is_sandboxed:
        pytest.skip("without a sandbox it would harm others")
    verdict = bench.verdict(candidate)
    assert verdict.kind in candidate.expect, str(verdict)
    assert not candidate.classes or verdict.cheat_class in candidate.classes, str(verdict)
    assert verdict.message.isprintable()
    assert not candidate.never or candidate.never not in verdict.message, str(verdict)
    if verdict.kind == "passed":
        assert candidate.degenerate or candidate.slow
        assert not candidate.degenerate or verdict.judging["degenerate_task"]
        assert not candidate.slow or verdict.timing["speedup_eager"]["value"] < SLOW
