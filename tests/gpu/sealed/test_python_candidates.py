"""Python candidates on a GPU: what they launch is recorded, and judged and timed without their process; or they stay
hosted and say why."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from corpus import read

HONEST = Path(__file__).parents[1] / "judge" / "honest"
OWN = Path(__file__).parents[1] / "judge" / "hosted"

SEALED = (
    "relu_triton", "relu_cupy", "relu_nvcc", "relu_reused_output", "relu_side_stream", "scale_weights",
    "softmax_autotuned", "matmul_ieee", "torch_ops_allowed",
)  # fmt: skip
HOSTED = {
    HONEST / "relu_graph.py": "cuGraph",
    OWN / "host_decides.py": "its host's side reads 4 bytes of the device's memory",
    OWN / "packed_weights.py": "its launches alone, without its process, give wrong outputs",
}
ALIKE = 0.1  # by which both clocks' times of the same kernel may differ


def timed(bench: Any, file: Path) -> Any:
    begin = time.monotonic()
    verdict = bench.verdict(read(file))
    judging, times = verdict.judging, verdict.timing
    sides = [times[x]["median"] for x in ("candidate_ms", "eager_ms") if times]
    print(file.stem, f"{time.monotonic() - begin:.1f} s", judging["tier"], judging["why_hosted"], sides, verdict)
    assert verdict.kind == "passed", str(verdict)
    return verdict


@pytest.mark.parametrize("name", SEALED)
def test_a_candidate_is_judged_and_timed_without_its_process(bench: Any, name: str) -> None:
    verdict = timed(bench, HONEST / f"{name}.py")
    assert (verdict.judging["tier"], verdict.judging["why_hosted"]) == ("sealed", "")
    assert verdict.timing["clock"] == "replayer"
    assert verdict.judging["draws"].count("signed") == 2  # hosted and sealed


@pytest.mark.parametrize("file", HOSTED, ids=lambda x: x.stem)
def test_what_needs_its_process_stays_hosted_and_says_why(bench: Any, file: Path) -> None:
    verdict = timed(bench, file)
    assert verdict.judging["tier"] == "hosted" and verdict.timing["clock"] == "shim"
    assert HOSTED[file] in verdict.judging["why_hosted"]


def test_a_kernel_takes_as_long_sealed_as_hosted(bench: Any) -> None:
    """Both replay one Triton kernel of the same bytes; one of them in a graph, which can't be sealed."""
    sealed, hosted = (timed(bench, HONEST / f"{name}.py").timing for name in ("relu_triton", "relu_graph"))
    ratio = sealed["candidate_ms"]["median"] / hosted["candidate_ms"]["median"]
    assert 1 - ALIKE < ratio < 1 + ALIKE
