"""Candidates on a GPU: honest ones pass, cheats gain nothing, crashes cost a verdict and nothing else."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
from corpus import Candidate, candidates, read

HERE = Path(__file__).parent

SLOW = 0.7  # of eager's speed: what a cheat can have at most that passes
HONEST = read(HERE / "honest" / "relu_triton.py")


@functools.cache
def is_sandboxed(bench: Any) -> bool:
    """Do candidates run in a sandbox here?"""
    return bench.verdict(HONEST, time=False).judging["sandbox"] != "none"


def skip_what_would_harm(bench: Any, candidate: Candidate) -> None:
    if candidate.sandboxed and not is_sandboxed(bench):
        pytest.skip("without a sandbox it would harm others")


@pytest.mark.parametrize("candidate", candidates("honest", HERE))
def test_an_honest_candidate_passes(bench: Any, candidate: Candidate) -> None:
    verdict = bench.verdict(candidate)
    assert verdict.kind == "passed", str(verdict)
    assert not candidate.precision or verdict.judging["precision"] == candidate.precision
    assert not candidate.weights or verdict.judging["weights"] == candidate.weights
    assert verdict.timing["candidate_ms"]["median"] > 0
    print(verdict.timing)


@pytest.mark.parametrize("candidate", candidates("cheats", HERE))
def test_a_cheat_gains_nothing(bench: Any, candidate: Candidate) -> None:
    skip_what_would_harm(bench, candidate)
    verdict = bench.verdict(candidate)
    assert verdict.kind in candidate.expect, str(verdict)
    assert not candidate.classes or verdict.cheat_class in candidate.classes, str(verdict)
    assert verdict.message.isprintable()
    assert not candidate.never or candidate.never not in verdict.message, str(verdict)
    if verdict.kind == "passed":
        assert candidate.slow and verdict.timing["speedup_eager"]["value"] < SLOW
    print(verdict)


@pytest.mark.parametrize("candidate", candidates("crashes", HERE))
def test_a_crash_is_a_verdict_and_the_next_candidate_passes(bench: Any, candidate: Candidate) -> None:
    skip_what_would_harm(bench, candidate)
    before = len(bench.family.descendants())
    verdict = bench.verdict(candidate, time=False)
    assert verdict.kind in candidate.expect, str(verdict)
    if is_sandboxed(bench):
        assert not candidate.never or candidate.never not in verdict.message, str(verdict)
    assert len(bench.family.descendants()) <= before
    assert bench.verdict(HONEST, time=False).kind == "passed"
    print(verdict)


def test_a_probe_tells_what_the_gpu_is(bench: Any, gpu: str) -> None:
    kind, record = bench.family.ask("probe", {"device": gpu})
    assert kind == "probed", record
    device = record["device"]
    assert device["kind"] == "cuda" and device["arch"].startswith("sm_")
    assert device["copy_bytes_per_second"] > 1e11 and device["limits"]["fma_flops_per_second"] > 1e12
    assert {"threads_a_block", "multiprocessors", "l2_bytes", "warp"} <= set(device["limits"])
    print(record)
