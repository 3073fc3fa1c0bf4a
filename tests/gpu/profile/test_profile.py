"""The profile of a launch record on the first GPU, as a judge makes it. Without a GPU it is skipped, in words."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "devices" / "worker"))
sys.path.insert(0, str(Path(__file__).parents[2] / "devices" / "worker" / "cuda_native"))
sys.path.insert(0, str(Path(__file__).parents[2] / "gpu" / "sealed"))
sys.path.insert(0, str(Path(__file__).parents[3] / "devices" / "worker"))

import lender
from boxes import build_folder
from family import Family, spec, work
from kernelmesh_worker import profilers
from records import packed, saxpy

pytestmark = [
    pytest.mark.skipif(lender.driver() is None, reason="there is no GPU"),
    pytest.mark.skipif(build_folder() is None, reason="KERNELMESH_BUILD does not say where kernelmesh-cuda-host is"),
]
COUNT = 1 << 26
LONGEST_S = 8.0
TASK = f"""
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, x, y):
        return 2 * x + y

def get_inputs():
    return [torch.randn({COUNT}), torch.randn({COUNT})]

def get_init_inputs():
    return []
"""


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Family]:
    family = Family(tmp_path_factory.mktemp("family"), device="cuda:0")
    family.expect_hello()
    yield family
    family.close()


def order(folder: Path) -> dict[str, Any]:
    artifact = folder / "saxpy.record"
    artifact.write_bytes(packed(saxpy(COUNT)))
    bindings = [{"origin": "input", "index": i, "spec": spec(COUNT)} for i in range(2)]
    manifest = {"arguments": bindings, "outputs": [spec(COUNT)]}
    entry: dict[str, Any] = {"launch_record": {"record": "saxpy.record"}}
    return work(TASK, entry, {}, artifact=str(artifact), manifest=manifest, profile=True, device="cuda:0")


def test_a_kernel_is_profiled_within_seconds_with_throughput_occupancy_and_stalls(judge: Family) -> None:
    if lender.capability() != (9, 0):
        pytest.skip("the kernel is built for sm_90a")
    if not profilers.find_ncu():
        pytest.skip("there is no ncu")
    start = time.monotonic()
    kind, answer = judge.ask("judge", order(judge.files))
    took = time.monotonic() - start
    assert kind == "profiled", answer
    figures = answer["figures"]
    keep(figures, took)
    assert figures["fate"]["end"] == "finished" and figures["tier"] == "sealed"
    assert figures["call_ns"] > 50_000
    if any("not permitted" in x for x in figures["missing"]):
        pytest.skip(figures["missing"][0])
    assert figures["source"] == "Nsight Compute", figures["missing"]
    (kernel,) = figures["kernels"]
    assert "saxpy" in kernel["name"]
    counted = kernel["metrics"]
    assert len(counted) >= 24
    assert counted["dram_pct"] > 50 and counted["sm_pct"] < counted["dram_pct"]
    assert counted["dram_bytes"] > 2 * 4 * COUNT
    assert 0 < counted["occupancy_pct"] <= 100
    assert figures["profiler_s"] < LONGEST_S


def keep(figures: dict[str, Any], took: float) -> None:
    """Beside the other files of a run, where there is a folder for them."""
    print(json.dumps(figures | {"took_s": took}, indent=1))
    if out := os.environ.get("OUT"):
        Path(out, "profile.json").write_text(json.dumps(figures | {"took_s": took}, indent=1))
