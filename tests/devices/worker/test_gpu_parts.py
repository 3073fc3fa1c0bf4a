"""What of a GPU needs none: names, what is said where there is none, architectures."""

from __future__ import annotations

from pathlib import Path

import pytest
from family import Family
from kernelmesh_worker import device_names
from kernelmesh_worker.cuda_probe import arch_of
from kernelmesh_worker.samples import Samples, sample_figures


@pytest.mark.parametrize(
    ("visible", "name", "left"),
    [(None, "cuda:1", "1"), ("3,5", "cuda:1", "5"), ("GPU-a, GPU-b", "cuda:0", "GPU-a"), ("3", "cuda:1", "")],
)
def test_a_judge_claims_the_gpu_of_that_number_among_the_visible_ones(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, name: str, left: str
) -> None:
    monkeypatch.delenv(device_names.VISIBLE, raising=False)
    if visible is not None:
        monkeypatch.setenv(device_names.VISIBLE, visible)
    device_names.claim("cpu:0")
    device_names.claim(name)
    assert device_names.os.environ[device_names.VISIBLE] == left


def test_a_device_is_a_kind_and_a_number() -> None:
    assert all(device_names.is_name(x) for x in ("cpu:0", "cuda:0", "cuda:12"))
    assert not any(device_names.is_name(x) for x in ("cpu:1", "cuda", "cuda:", "cuda:x", "rocm:0", "cuda:0 "))


def test_compilers_are_asked_for_an_architecture_s_own_instructions_where_it_has_some() -> None:
    assert [arch_of(*x) for x in ((8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0))] == [
        "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a",
    ]  # fmt: skip


def test_a_gpu_that_is_not_there_is_said_with_the_way_out(tmp_path: Path) -> None:
    family = Family(tmp_path, device="cuda:99")
    try:
        family.expect_hello()
        kind, record = family.ask("probe", {"device": "cuda:99"})
        assert kind == "failed"
        assert record["message"].startswith("there is no cuda:99: ")
        assert "nvidia-smi -L" in record["message"] and device_names.VISIBLE in record["message"]
    finally:
        family.close()


def test_times_by_the_device_s_clock_keep_the_judge_s_own_beside_them() -> None:
    samples = Samples(clocked=True, candidate=[30, 31], eager=[60, 61], repeat=[60, 60], empty=[1000, 1000])
    samples.nothing += [2.0, 2.0]
    samples.see_bracket(1035.0, 1002.0)
    samples.see_bracket(1033.0, 1002.0)

    class Nothing:
        bytes = 0
        nanoseconds = 0.0

    figures = sample_figures(samples, [], Nothing())
    assert figures["candidate_ns"] == [30, 31] and figures["baseline_ns"]["eager"] == [60, 61]
    assert figures["bracket_ns"] == [33.0, 31.0]
    assert figures["empty_bracket_ns"] == 2.0
