"""When a Python candidate is sealed, with a stand-in for what records launches and for what carries them out; with a
device: tests/gpu/sealed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from family import python_work
from kernelmesh_worker import recorder, sealing
from kernelmesh_worker.arena import JudgeFailure
from kernelmesh_worker.contest import opened
from kernelmesh_worker.device import CpuDevice
from kernelmesh_worker.timing import time_candidate
from kernelmesh_worker.verify import verify
from kernelmesh_worker.zygote_client import ZygoteClient, start_zygote

HERE = Path(__file__).parent / "sealing"
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")

TASK = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(64))

    def forward(self, x):
        return torch.relu(x) * self.w

def get_inputs():
    return [torch.rand(64, 64)]
"""


def candidate(record: str = "right", before: str = "", result: str = "torch.relu(x) * self.w") -> str:
    """By its environment it says what its record does."""
    text = TASK.partition("def get_inputs")[0].replace("class Model", "class ModelNew")
    text = text.replace("torch.relu(x) * self.w", result)
    return f"import os\nos.environ['RECORD'] = {record!r}\n{before}\n{text}"


@pytest.fixture(scope="module")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZygoteClient]:
    """Of this process, which is the judge."""
    folder = tmp_path_factory.mktemp("sealing")
    library, host = folder / "recorder.so", folder / "host"
    argv = ["g++", "-std=c++20", "-shared", "-fPIC", str(HERE / "recorder.cpp"), "-o", str(library)]
    subprocess.run(argv, check=True)
    host.write_text(f"#!{sys.executable}\n" + (HERE / "host.py").read_text())
    host.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNELMESH_CUDA_RECORDER", str(library))
        patch.setenv("KERNELMESH_CUDA_HOST", str(host))
        patch.setenv("PYTHONPATH", str(HERE.parents[3] / "devices" / "worker"))
        patch.setattr(CpuDevice, "can_replay", True)
        client, threads = start_zygote("cpu:0"), torch.get_num_threads()
        torch.set_num_threads(1)
        yield client
        torch.set_num_threads(threads)
        client.close()


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    sealing._known.clear()


def asked(folder: Path, source: str, **options: Any) -> dict[str, Any]:
    return python_work(folder, TASK, source, options={"draws": 2, "timing_budget_ms": 100, "most_pairs": 10} | options)


def verified(zygote: ZygoteClient, folder: Path, source: str, **options: Any) -> dict[str, Any]:
    with opened(asked(folder, source, **options), zygote, lambda share, text: None) as contest:
        (figures,) = verify(contest)
    return figures


def timed(zygote: ZygoteClient, folder: Path, source: str) -> dict[str, Any]:
    with opened(asked(folder, source), zygote, lambda share, text: None) as contest:
        (figures,) = time_candidate(contest)
    return figures


def test_what_is_right_without_its_process_is_sealed_and_its_draws_count(zygote: ZygoteClient, tmp_path: Path) -> None:
    figures = verified(zygote, tmp_path, candidate())
    assert (figures["fate"]["end"], figures["tier"], figures["why_hosted"]) == ("finished", "sealed", "")
    hosted = verified(zygote, tmp_path, candidate(before="os.environ['REFUSED'] = 'no'"))
    assert len(figures["draws"]) > len(hosted["draws"]) + 2
    weights = [x["weights"] for x in figures["draws"] if x.get("weights", "given") != "given"]
    assert weights == ["other_seed", "perturbed"] * 2


def test_a_sealed_candidate_is_timed_by_the_record_that_was_made(
    zygote: ZygoteClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verified(zygote, tmp_path, candidate())["tier"] == "sealed"
    monkeypatch.delitem(os.environ, "KERNELMESH_CUDA_RECORDER")
    figures = timed(zygote, tmp_path, candidate())
    assert figures["fate"]["end"] == "finished", figures["fate"]
    assert (figures["tier"], figures["why_hosted"]) == ("sealed", "")
    assert len(figures["candidate_ns"]) == len(figures["baseline_ns"]["eager"]) > 0


STAYS = {
    "refused": (candidate(before="os.environ['REFUSED'] = 'it uses cuGraphLaunch'"), "it uses cuGraphLaunch"),
    "empty": (candidate(""), "the record of its launches has 0 bytes"),
    "wrong": (candidate("wrong"), "its launches alone, without its process, give wrong outputs (draw own)"),
    "weights": (candidate("weights"), "give wrong outputs (draw perturbed)"),
    "packed": (
        candidate("weights", "KEPT = {}", "torch.relu(x) * KEPT.setdefault(0, self.w.detach().clone())"),
        "give wrong outputs (draw perturbed)",
    ),
    "ends": (candidate("ends"), "without its process: launch of relu: (CUDA_ERROR_ILLEGAL_ADDRESS)"),
}


@pytest.mark.parametrize("name", STAYS)
def test_what_has_no_right_record_stays_hosted_and_says_why(zygote: ZygoteClient, tmp_path: Path, name: str) -> None:
    source, why = STAYS[name]
    figures = verified(zygote, tmp_path, source)
    assert (figures["fate"]["end"], figures["tier"]) == ("finished", "hosted")
    assert why in figures["why_hosted"]
    draws = [x for x in figures["draws"] if x.get("weights") != "perturbed"]
    assert all(x["over_tolerance"] == 0 for draw in draws for x in draw["outputs"])


def test_a_record_that_is_off_like_eager_is_on_a_redraw_is_not_wrong() -> None:
    output = {"over_tolerance": 9, "non_finite_mismatch": 0, "rms": 1e-6, "reference_rms": 1.0}
    draw = {"kind": "scaled_up", "finite": True, "got_outputs": 1, "expected_outputs": 1, "outputs": [output]}
    assert not sealing._is_off(draw)
    assert sealing._is_off(draw | {"kind": "own"})
    assert sealing._is_off(draw | {"got_outputs": 0, "outputs": []})
    assert sealing._is_off(draw | {"outputs": [output | {"rms": 0.02}]})
    assert sealing._is_off(draw | {"outputs": [output | {"non_finite_mismatch": 1}]})


def test_who_works_in_its_first_calls_alone_is_wrong_though_its_record_is_right(
    zygote: ZygoteClient, tmp_path: Path
) -> None:
    works = "torch.relu(x) * self.w if CALLS.append(0) or len(CALLS) < 20 else torch.zeros_like(x)"
    figures = verified(zygote, tmp_path, candidate(before="CALLS = []", result=works))
    assert figures["fate"]["end"] == "finished"
    assert any(x["over_tolerance"] for draw in figures["draws"] for x in draw["outputs"])


def test_where_the_judge_has_no_room_for_a_record_the_verdict_stands(
    zygote: ZygoteClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bytes:
        raise JudgeFailure("1 MiB of memory are free")

    monkeypatch.setattr(sealing, "_record", full)
    figures = verified(zygote, tmp_path, candidate())
    assert (figures["fate"]["end"], figures["why_hosted"]) == ("finished", "1 MiB of memory are free")


def test_what_stays_hosted_is_timed_so(zygote: ZygoteClient, tmp_path: Path) -> None:
    times = timed(zygote, tmp_path, STAYS["refused"][0])
    assert times["tier"] == "hosted" and times["why_hosted"].endswith("it uses cuGraphLaunch")
    assert times["candidate_ns"]


def test_a_recorder_that_sees_nothing_is_no_recorder(zygote: ZygoteClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(recorder.INJECTED, "")
    monkeypatch.setenv("BLIND", "1")
    with pytest.raises(RuntimeError, match="CUPTI can't be used here"):
        recorder.Recorder(os.environ["KERNELMESH_CUDA_RECORDER"], -1).check()


def test_who_is_wrong_or_has_libraries_work_for_him_is_not_recorded(zygote: ZygoteClient, tmp_path: Path) -> None:
    wrong = verified(zygote, tmp_path, candidate(result="torch.relu(x) * self.w + 1"))
    library = verified(zygote, tmp_path, candidate(), allow_library_calls=False)
    for figures in (wrong, library):
        assert (figures["tier"], figures["why_hosted"]) == ("hosted", "")
    assert not sealing._known


def test_a_device_whose_launches_are_not_recorded_says_nothing(
    zygote: ZygoteClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CpuDevice, "can_replay", False)
    figures = verified(zygote, tmp_path, candidate())
    assert (figures["tier"], figures["why_hosted"]) == ("hosted", "")


def test_an_installation_without_a_recorder_says_so(
    zygote: ZygoteClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(os.environ, "KERNELMESH_CUDA_RECORDER")
    assert "no recorder of launches" in verified(zygote, tmp_path, candidate())["why_hosted"]
