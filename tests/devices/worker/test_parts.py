"""Parts of the worker that need no process: comparison, draws, lent memory, levels of processors, text."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import family
import numpy
import pytest
import torch
from kernelmesh_worker import floor, judge
from kernelmesh_worker.arena import Arena, Got
from kernelmesh_worker.checking import agree, badness
from kernelmesh_worker.comparison import compare, is_finite, rms_of, unravel
from kernelmesh_worker.device import CpuDevice
from kernelmesh_worker.draws import KINDS, plan_draws, redrawn
from kernelmesh_worker.entries import match_state
from kernelmesh_worker.hub import FRAME_BYTES, Hub
from kernelmesh_worker.lent import Layout, MemfdBuffer, memory_of, spec_of
from kernelmesh_worker.machine import arch_of, vector_bytes_of
from kernelmesh_worker.pair import Unreadable, unpack
from kernelmesh_worker.samples import relative_interval
from kernelmesh_worker.text import clean, one_line


def test_a_comparison_agrees_with_plain_arithmetic() -> None:
    torch.manual_seed(1)
    want = torch.randn(3, CpuDevice.chunk // 2 + 7, dtype=torch.float64)
    got = (want + 1e-3 * torch.randn_like(want)).to(torch.float32)
    error = compare(got, want, 1e-3, rms_of(want))
    distance = (got.double() - want).abs()
    assert error.over_tolerance == int((distance > 1e-3 * (1 + want.abs())).sum())
    assert error.max_abs == distance.max().item()
    assert error.of_tolerance == pytest.approx((distance / (1e-3 * (1 + want.abs()))).max().item())
    assert error.rms == pytest.approx(distance.square().mean().sqrt().item())
    counts = want.abs() > rms_of(want) / 1000
    assert error.max_rel == pytest.approx((distance / want.abs())[counts].max().item())
    first = int((distance > 1e-3 * (1 + want.abs())).flatten().nonzero()[0])
    assert (error.first, error.first_want) == (first, want.flatten()[first].item())


def test_nan_and_infinity_must_be_in_place() -> None:
    inf, nan = math.inf, math.nan
    want = torch.tensor([nan, inf, -inf, 1.0, inf, 2.0, nan])
    got = torch.tensor([nan, inf, inf, nan, 5.0, 2.5, inf])
    error = compare(got, want, 1e-4, rms_of(want))
    assert (error.non_finite_mismatch, error.over_tolerance, error.max_abs) == (4, 1, 0.5)
    assert (error.first, error.first_got, error.first_want) == (2, inf, -inf)
    assert error.rms == pytest.approx(0.5)
    assert not is_finite(want) and is_finite(torch.ones(3)) and is_finite(torch.ones(3, dtype=torch.int64))


def test_equal_tensors_have_no_error_even_at_zero() -> None:
    zeros = torch.zeros(10)
    error = compare(zeros, zeros.double(), 1e-4, 0.0)
    assert (error.over_tolerance, error.max_rel, error.first) == (0, 0.0, -1)


def test_a_large_output_is_compared_in_time() -> None:
    want = torch.ones(4 << 20)
    start = time.process_time()
    assert compare(want + 1e-6, want, 1e-4, 1.0).over_tolerance == 0
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("taken", "repeats", "scatter"),
    [
        ([9.0, *[1.0] * 30], 7, 0.0),  # calm but for one moment
        ([3.0, 2.5, 2.2, 2.0, 1.8, 1.6, 1.4, 1.2, *[1.0] * 30], 11, 0.0),  # busy at first: until they agree
        ([1.0, *[1.5] * 30], 24, 0.5),  # they never do: then the fastest is told with what makes it doubtful
    ],
)
def test_what_a_device_can_do_is_measured_until_the_fastest_repeats_agree(
    monkeypatch: pytest.MonkeyPatch, taken: list[float], repeats: int, scatter: float
) -> None:
    now, calls = [0.0], [-1]  # the first call warms up

    def call() -> None:
        if calls[0] >= 0:
            now[0] += taken[calls[0]]
        calls[0] += 1

    monkeypatch.setattr(judge.time, "perf_counter_ns", lambda: now[0] * 1e9)
    monkeypatch.setattr(judge.time, "sleep", lambda seconds: None)
    assert judge.fastest(call) == (1.0, pytest.approx(scatter))
    assert calls[0] == repeats


def test_the_time_of_memory_is_no_longer_where_threads_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0]
    monkeypatch.setattr(floor.time, "perf_counter_ns", lambda: now[0])

    def call() -> None:
        now[0] += 100 if torch.get_num_threads() > 1 else 30

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        assert floor._least(call) == 30
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_no_floor_is_higher_than_what_the_memory_s_wires_need() -> None:
    assert floor.possible(100.0, 64, peak=1e9) == 64.0
    assert floor.possible(50.0, 64, peak=1e9) == 50.0
    assert floor.possible(100.0, 64, peak=0.0) == 100.0


def test_a_flat_index_becomes_a_place() -> None:
    assert unravel(17, [2, 3, 4]) == [1, 1, 1]
    assert unravel(-1, [2]) == []


def draw(kind: str, code: str = "torch.rand(1000)") -> torch.Tensor:
    module = ModuleType("task")
    exec(f"import torch\nfrom torch import randn\ndef get(): return {code}", module.__dict__)  # noqa: S102
    with redrawn(module, kind):
        return module.get()


def test_redraws_change_what_numbers_are_like() -> None:
    assert draw("own").min() >= 0
    assert draw("signed").min() < -0.9 and draw("signed").max() <= 1
    assert 0.001 < draw("scaled_down").abs().max() <= 0.01
    assert 10 < draw("scaled_up").abs().max() <= 100
    assert draw("shifted").min() >= 2 and draw("shifted").max() <= 4
    assert draw("scaled_up", "randn(1000)").abs().max() > 100  # imported by name
    assert draw("signed", "torch.rand_like(torch.ones(1000))").min() < -0.9
    assert torch.rand(1000).min() >= 0  # put back


def test_redraws_are_made_on_the_device_that_is_asked_for(tmp_path: Path) -> None:
    code = """
import types, torch
from kernelmesh_worker.draws import redrawn

with torch.device("meta"), redrawn(types.ModuleType("task"), "signed"):
    print(torch.rand(3).device.type, torch.randn(3).device.type)
"""
    argv = [sys.executable, "-c", code]  # of its own: torch notes once what makes tensors
    done = subprocess.run(argv, env=family.environment(tmp_path), capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["meta", "meta"]


@pytest.mark.parametrize("source", ["random.rand(1000)", "random.uniform(5, 6, 1000)", "numpy.random.randn(1000)"])
def test_redraws_change_numbers_of_numpy_too(source: str) -> None:
    module = ModuleType("task")
    exec(f"import numpy\nfrom numpy import random\ndef get(): return {source}", module.__dict__)

    def draw(kind: str) -> Any:
        with redrawn(module, kind):
            return module.get()

    before = numpy.random.rand
    assert draw("signed").min() < -0.9
    assert 1 < abs(draw("scaled_up")).max() and abs(draw("scaled_down")).max() < 0.1
    assert draw("own").shape == (1000,) and numpy.random.rand is before


def test_draws_begin_with_the_own_one_and_differ() -> None:
    draws = plan_draws("secret", 7)
    assert [x.kind for x in draws] == [*KINDS, "own", "signed"]
    assert len({x.seed for x in draws}) == 7
    assert draws != plan_draws("other", 7)


def test_lent_memory_is_shared_and_keeps_its_size() -> None:
    layout = Layout()
    odd = torch.arange(12.0).reshape(3, 4).t()[1:]
    layout.place(spec_of(torch.ones(5, dtype=torch.bool)))
    place = layout.place(spec_of(odd))
    mine = MemfdBuffer.allocate(layout.size)
    theirs = MemfdBuffer.attach(os.dup(mine.handle()), mine.size)
    mine.flat(place).copy_(memory_of(odd))
    assert torch.equal(theirs.tensor(place), odd)
    assert theirs.tensor(place).stride() == odd.stride()
    with pytest.raises(PermissionError):
        os.ftruncate(mine.handle(), 1)
    mine.close()
    theirs.close()


def test_state_is_matched_by_name_then_by_shape() -> None:
    given = {"a": torch.ones(2), "b": torch.ones(3), "c": torch.ones(3), "d": torch.ones(4)}
    own = {"a": torch.zeros(2), "x": torch.zeros(3), "c": torch.zeros(3)}
    matched = match_state(own, given)
    assert {name: id(x) for name, x in matched.items()} == {"a": id(own["a"]), "b": id(own["x"]), "c": id(own["c"])}


def test_levels_of_processors() -> None:
    v2 = {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}
    v3 = v2 | {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
    v4 = v3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    levels = [arch_of(x, "x86_64") for x in (set(), v2, v3, v4, v4 - {"fma"})]
    assert levels == ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v2"]
    assert arch_of(set(), "aarch64") == "aarch64"
    assert [vector_bytes_of(x) for x in (v2, v3, v4)] == [16, 32, 64]


def test_an_interval_narrows_with_samples() -> None:
    few, many = ([1.0 + (i * 37 % 101) / 100 for i in range(count)] for count in (10, 400))
    assert relative_interval([1.0] * 10) == 0
    assert 0 < relative_interval(many) < relative_interval(few)


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x93\x01", b"\x81\x01\x02", b"\xdf\xff\xff\xff\xff", b"\x91" * 4000])
def test_hostile_packets_are_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        unpack(data)


def test_the_protocol_and_both_sides_agree_on_the_size_of_messages() -> None:
    root = Path(__file__).parents[3]
    protocol = (root / "devices/worker/PROTOCOL.md").read_text(encoding="utf-8")
    record = (root / "messages/records/worker.hpp").read_text(encoding="utf-8")
    megabytes = FRAME_BYTES >> 20
    assert f"(from it), at most {megabytes} MiB." in protocol
    assert f"worker_message_bytes = {megabytes}u << 20;" in record


def test_an_answer_that_is_too_long_becomes_a_failure(tmp_path: Path) -> None:
    owner = family.Hub(tmp_path)
    hub = Hub(owner.endpoint, "worker")
    hub.send(3, "traced", {"graph": "x" * (FRAME_BYTES + 1)})
    command, kind, record = owner.receive()
    assert (command, kind) == (3, "failed")
    assert f"more than the {FRAME_BYTES} of a message" in record["message"]
    hub.close()
    owner.close()


def test_text_is_cleaned_and_bounded() -> None:
    assert clean("a\x1b[31mb\x00\r\nc") == "a?[31mb??\nc"
    assert len(clean("\u20ac" * 5000).encode()) <= 4096
    assert one_line("\n\n  two words \nmore") == "two words"


def figures_with(rms: float = 0.0, over: int = 0, changed: bool = False, dtype: str = "float32") -> dict[str, Any]:
    """Of a call that gave one output."""
    output = {"elements": 8, "over_tolerance": over, "non_finite_mismatch": 0, "rms": rms, "eager_rms": 1e-7}
    output |= {"reference_rms": 1.0, "got": {"dtype": dtype}, "expected": {"dtype": "float32"}}
    output |= {"got_type": "torch.Tensor", "expected_type": "torch.Tensor"}
    return {"inputs_changed": changed, "finite": True, "outputs": [output], "got_outputs": 1, "expected_outputs": 1}


def test_of_two_calls_the_worse_is_known() -> None:
    good, coarse, wrong = figures_with(1e-7), figures_with(1e-3), figures_with(1e-4, over=1)
    ranked = sorted([wrong, good, figures_with(changed=True), coarse], key=badness)
    assert ranked[:3] == [good, coarse, wrong]
    assert badness(figures_with(dtype="float64")) > badness(wrong)


def test_no_description_of_an_output_is_too_much() -> None:
    arena = Arena.__new__(Arena)
    arena.lent = [MemfdBuffer.allocate(4096)] * 3
    told = {"type": "torch.Tensor", "device": "cpu", "dtype": "float32", "strides": [1, 1, 1]}
    told |= {"offset": 0, "copied": True}
    (none,), (empty,) = (arena._read_all([told | {"shape": x}]) for x in ([1 << 47, 1 << 47, 0], [4, 0, 4]))
    assert none.tensor is None
    assert empty.tensor is not None and list(empty.tensor.shape) == [4, 0, 4]


def delivered(*tensors: torch.Tensor) -> list[Got]:
    return [Got("torch.Tensor", "cpu", {}, x) for x in tensors]


def test_samples_agree_within_what_their_type_allows() -> None:
    torch.manual_seed(1)
    x = torch.randn(4096)
    assert agree(delivered(x), [x * (1 + 1e-6)], 512, 1e-3)
    assert not agree(delivered(x), [x * (1 + 5e-4)], 512, 1e-3)  # inside of the tolerance, like bfloat16
    assert agree(delivered(x.half()), [(x * (1 + 5e-4)).half()], 512, 1e-2)
    places = torch.full((4096,), 1_000_000)
    assert not agree(delivered(places), [places + 1], 512, 1e-3)
    assert agree(delivered(x > 0, places), [x > 0, places], 512, 1e-3)
    assert not agree(delivered(x), [x, places], 512, 1e-3)
