"""Times: pairs, positive, with checked outputs; fates while the clock runs."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from family import Family
from kernelmesh_worker.candidate_ended import CandidateEnded, OutOfTurn
from kernelmesh_worker.candidate_process import CandidateProcess
from kernelmesh_worker.samples import Samples
from test_judging import TASK, c_work, candidate

LARGE = TASK.replace("ROWS = 64", "ROWS = 1 << 15")


def timed(answer: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    kind, record = answer
    assert kind == "timed", record
    return record["figures"]


def test_pairs_of_times_and_checked_outputs(family: Family) -> None:
    figures = timed(family.judge_python(LARGE, LARGE.replace("class Model", "class ModelNew"), time=True))
    assert figures["fate"]["end"] == "finished"
    count = len(figures["candidate_ns"])
    assert 10 <= count <= 400
    assert list(figures["baseline_ns"]) == ["eager"]
    assert len(figures["baseline_ns"]["eager"]) == len(figures["repeat_ns"]) == count
    for times in (figures["candidate_ns"], figures["baseline_ns"]["eager"], figures["repeat_ns"]):
        assert statistics.median(times) > 0
    assert figures["empty_bracket_ns"] > 0
    assert figures["floor_bytes"] == 4 * (1 << 15) * (16 + 8)
    assert len(figures["alone_ns"]) >= 3
    assert 2 <= len(figures["checked"]) <= 4
    assert not any(x["over_tolerance"] for draw in figures["checked"] for x in draw["outputs"])


ROWS = 1 << 15


@pytest.mark.parametrize(
    ("least", "read"),
    [([4 * ROWS], 4 * ROWS), ([0], 0), ([1 << 40], 4 * ROWS * 16), ([4, 4], 4 * ROWS * 16), ([], 4 * ROWS * 16)],
)
def test_the_floor_counts_what_the_simplified_task_still_reads(family: Family, least: list[int], read: int) -> None:
    same = LARGE.replace("class Model", "class ModelNew")
    options = {"timing_budget_ms": 100}
    figures = timed(family.judge_python(LARGE, same, time=True, input_bytes=least, options=options))
    assert figures["floor_bytes"] == read + 4 * ROWS * 8


@pytest.mark.long
def test_the_compiled_reference_is_a_baseline_where_it_is_asked_for_and_is_built_once(family: Family) -> None:
    wanted = {"baselines": ["eager", "compile"], "timing_budget_ms": 500, "most_pairs": 20}
    candidate_text = LARGE.replace("class Model", "class ModelNew")
    built: list[set[tuple[str, int]]] = []
    for _ in range(2):
        figures = timed(family.judge_python(LARGE, candidate_text, time=True, options=wanted))
        assert figures["left_out"] == {}
        assert len(figures["baseline_ns"]["compile"]) == len(figures["candidate_ns"])
        built.append({(str(x), x.stat().st_mtime_ns) for x in family.folder.glob("**/inductor-*/**/*.so")})
    assert built[0] and built[0] == built[1]  # the second time it was found


def test_a_slower_candidate_takes_longer(family: Family) -> None:
    slow = candidate("time.sleep(0.02); return y")
    figures = timed(family.judge_python(TASK, slow, time=True))
    assert min(figures["candidate_ns"]) + figures["empty_bracket_ns"] > 20e6
    assert statistics.median(figures["baseline_ns"]["eager"]) < statistics.median(figures["candidate_ns"])


def test_a_candidate_does_not_run_in_the_turns_of_others(family: Family) -> None:
    busy = """
import threading, time
seen = []
def look():
    while True:
        seen.append(time.monotonic())
        time.sleep(0.001)
threading.Thread(target=look, daemon=True).start()
"""
    # The reference takes 30 ms: a candidate that runs beside it sees no gap of that length.
    task = TASK.replace("return torch.relu", "import time; time.sleep(0.03); return torch.relu")
    tell = "gaps = [b - a for a, b in zip(seen, seen[1:])]\n"
    tell += "        if sum(x > 0.025 for x in gaps) >= 8: raise ValueError('was stopped')\n        return y"
    answer = timed(family.judge_python(task, candidate(tell, before=busy), time=True))["fate"]
    assert (answer["end"], answer["phase"]) == ("raised", "time")
    assert answer["message"].startswith("ValueError: was stopped")


def test_outputs_of_timed_calls_are_checked(family: Family) -> None:
    lazy = candidate("ModelNew.calls = getattr(ModelNew, 'calls', 0) + 1; return y if ModelNew.calls < 2 else y * 0")
    first, *others = timed(family.judge_python(TASK, lazy, time=True))["checked"]
    assert not first["outputs"][0]["over_tolerance"]
    assert others
    assert all(x["outputs"][0]["over_tolerance"] for x in others)


def test_a_candidate_that_dies_while_it_is_timed_is_a_fate(family: Family) -> None:
    dies = candidate("ModelNew.n = getattr(ModelNew, 'n', 0) + 1; os._exit(7) if ModelNew.n > 6 else 0; return y")
    answer = timed(family.judge_python(TASK, dies, time=True))["fate"]
    assert (answer["end"], answer["phase"], answer["code"]) == ("exited", "time", 7)


def test_a_c_function_is_timed(family: Family) -> None:
    figures = timed(family.ask("judge", c_work(family, "usleep(2000)", time=True)))
    assert figures["fate"]["end"] == "finished"
    assert min(figures["candidate_ns"]) + figures["empty_bracket_ns"] > 2e6
    assert not any(x["outputs"][0]["over_tolerance"] for x in figures["checked"])


def test_work_that_is_done_when_outputs_are_asked_for_is_late(family: Family) -> None:
    """The candidate patches what delivers its outputs, so that its call costs nothing."""
    late = """
import kernelmesh_worker.entries as entries
whole = entries.PythonModule.outputs
def outputs(self):
    self._last = self._model.work()
    return whole(self)
entries.PythonModule.outputs = outputs
"""
    code = candidate("", before=late)
    work = """self.x = x
        return None

    def work(self):
        time.sleep(0.02)
        return torch.relu(self.linear(self.x))"""
    code = code.replace("y = torch.relu(self.linear(x))", work)
    figures = timed(family.judge_python(LARGE, code, time=True))
    assert any(x["over_tolerance"] for draw in figures["checked"] for x in draw["outputs"])  # inputs were gone by then
    after = [late - call for late, call in zip(figures["late_ns"], figures["late_call_ns"], strict=True)]
    assert min(after) > 15e6
    honest = timed(family.judge_python(LARGE, LARGE.replace("class Model", "class ModelNew"), time=True))
    after = [late - call for late, call in zip(honest["late_ns"], honest["late_call_ns"], strict=True)]
    assert statistics.median(after) < 15e6


def test_a_task_that_refuses_mixed_numbers_is_timed_on_its_own(family: Family) -> None:
    task = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        if x.min() < 0 or x.max() > 1:
            raise ValueError("not a probability")
        return x * 2
def get_inputs():
    return [torch.rand(1 << 20)]
"""
    figures = timed(family.judge_python(task, task.replace("class Model", "class ModelNew"), time=True))
    assert figures["fate"]["end"] == "finished"
    assert len(figures["candidate_ns"]) >= 10


def test_a_core_that_is_given_out_of_turn_costs_a_turn_and_a_habit_of_it_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = object.__new__(CandidateProcess)
    process.phase = "time"
    process._turns, process._strays, process._stopped_ns, process._stopped_wakings = 80, 0, 0, 4
    monkeypatch.setattr(process, "stop", lambda: None)
    monkeypatch.setattr(process, "_end", lambda: None)
    monkeypatch.setattr(process, "_processor_ns", lambda: 20_000)
    monkeypatch.setattr(process, "_wakings", lambda: 4)
    process._check_stopped()
    monkeypatch.setattr(process, "_wakings", lambda: 5)
    for _ in range(3 + 80 // 8):
        with pytest.raises(OutOfTurn):
            process._check_stopped()
    with pytest.raises(CandidateEnded, match="raised"):
        process._check_stopped()


def test_one_that_works_while_it_is_stopped_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    process = object.__new__(CandidateProcess)
    process.phase = "time"
    process._turns, process._strays, process._stopped_ns, process._stopped_wakings = 80, 0, 0, 4
    monkeypatch.setattr(process, "_end", lambda: None)
    monkeypatch.setattr(process, "_processor_ns", lambda: 600_000)
    with pytest.raises(CandidateEnded):
        process._check_stopped()


def test_a_pair_out_of_turn_leaves_no_samples() -> None:
    samples = Samples(candidate=[1, 2], eager=[3, 4], repeat=[5], delivered=[(1, 2)])
    known = samples.counts()
    samples.candidate.append(6)
    samples.delivered.append((3, 4))
    samples.nothing.append(0.5)
    samples.go_back(known)
    assert samples == Samples(candidate=[1, 2], eager=[3, 4], repeat=[5], delivered=[(1, 2)])
