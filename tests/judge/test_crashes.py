"""Candidates that break, hang or flood. Each ends in its verdict in time; the next honest one passes at once."""

from __future__ import annotations

import time

import pytest
from shared_machine import SharedMachine

from bench import Bench
from corpus import HERE, Candidate, candidates, read

WITHIN_S = 8.0  # beyond its limit of a call
_HONEST = read(HERE / "honest" / "relu_simple.cpp")


@pytest.mark.parametrize("candidate", candidates("crashes"))
def test_what_breaks_takes_nobody_along(bench: Bench, candidate: Candidate, machine: SharedMachine) -> None:
    if candidate.sandboxed and not bench.is_sandboxed:
        pytest.skip("without a sandbox it would meet processes of others")
    bench.prepare(candidate)
    before = len(bench.family.descendants())
    with machine.alone():  # else the clock counts others' work too
        start = time.monotonic()
        verdict = bench.verdict(candidate, time=False)
        took = time.monotonic() - start
    assert verdict.kind in candidate.expect, str(verdict)
    assert took < WITHIN_S + candidate.options.get("call_limit_ms", 0) / 1000
    assert not (bench.is_sandboxed and candidate.never and candidate.never in verdict.message), str(verdict)
    assert len(bench.family.descendants()) <= before
    assert bench.verdict(_HONEST, time=False).kind == "passed"
