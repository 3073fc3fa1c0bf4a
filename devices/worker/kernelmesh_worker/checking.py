"""Checked calls of a candidate, and the figures of each."""

from __future__ import annotations

import os
from typing import Any

import torch

from kernelmesh_worker.arena import Arena, Delivered, Got, same_bits
from kernelmesh_worker.candidate_process import CandidateProcess
from kernelmesh_worker.comparison import compare, rms_of, unravel
from kernelmesh_worker.device import here
from kernelmesh_worker.draws import Draw
from kernelmesh_worker.lent import DTYPE_NAMES, memory_of, spec_of
from kernelmesh_worker.reference import Expected, Reference

_OF_FLOAT32 = 1e-4
_TOLERANCES = {"float16": 1e-2, "bfloat16": 1e-2, "float64": 1e-10}  # what float32 has rounded is beyond the last
_OF_ONE_ROUNDING = 2.0**-25  # of a number: the RMS of rounding it to float32, or nearly
NARROW = (2e-5, 1e-2)  # errors over the output's RMS between these look like a float of fewer bits
_COARSE = 1e-4  # of the output's RMS: a difference to eager that float32's own errors do not make
_FINE = 5e-6  # of an output's RMS: what every order of float32 sums stays below
Figures = dict[str, Any]


def tolerance_of(dtype: str) -> float:
    return _TOLERANCES.get(dtype, _OF_FLOAT32)


def coarsest_tolerance(dtypes: list[str]) -> float:
    """Of a task that has these; of float32 if it has none."""
    return max(map(tolerance_of, dtypes), default=_OF_FLOAT32)


def lend(arena: Arena, inputs: list[Any]) -> dict[str, Any]:
    """Fresh contents and poisoned outputs; what the call is to be told."""
    told = arena.call_words(inputs)
    arena.poison()
    arena.write_inputs(inputs)
    here().drain()
    return told


def collect(arena: Arena, candidate: CandidateProcess) -> Delivered:
    """The outputs of the call that was just done."""
    return arena.read(candidate.outputs() if arena.kind == "python_host" else None)


class Checks:
    """A running candidate, the memory it is lent, and what it gave so far."""

    def __init__(self, arena: Arena, process: CandidateProcess, reference: Reference, tolerance: float) -> None:
        self.arena = arena
        self.process = process
        self.reference = reference
        self.tolerance = tolerance
        self._memory = Memory()
        self._open: tuple[Figures, Delivered] | None = None

    def load(self) -> None:
        self.process.load()

    def use(self, shape: int) -> None:
        """What follows is about that shape of the task."""
        self.settle()
        self.arena.use(shape)

    def call(self, draw: Draw, inputs: list[Any], expected: Expected, probe: str = "") -> Figures:
        """One call with those contents, held against what is expected: the record draw_figures. It is filled further
        by the next call or by `settle`."""
        self.settle()
        told = lend(self.arena, inputs)
        if self.arena.has_changing_buffers:
            self.arena.write_weights()
        self.process.ask("reset", weights=False)
        self.process.ask("call", **told)
        got = collect(self.arena, self.process)
        changed = self.arena.changed(inputs)
        if changed:
            self.arena.write_weights()
        figures = self.figures_of(draw, expected, got, changed) | {"probe": probe}
        self._open = (figures, got)
        return figures

    def settle(self) -> None:
        """Looks at the last call's outputs once more: nothing may have come late."""
        if self._open is not None:
            (figures, got), self._open = self._open, None
            figures["written_later"] = not _same(got, collect(self.arena, self.process))

    def take_weights(self) -> None:
        """Lends the reference's weights as they are now, to a candidate that has taken others before."""
        self.settle()
        self.arena.write_weights()
        self.process.ask("reset", weights=True)

    def figures_of(self, draw: Draw, expected: Expected, got: Delivered, changed: bool) -> Figures:
        figures = draw_figures(draw, expected, got, changed, self.tolerance)
        figures["expected_structure"] = self.reference.structure if got.structure else ""
        for one, name in zip(figures["outputs"][len(got.outputs) :], self.reference.changing, strict=False):
            one["name"] = name
        figures["replayed"] = self._memory.has_seen(got) and is_bad(figures)
        return figures


class Memory:
    """What outputs were like, for finding the same ones again where others are due."""

    def __init__(self) -> None:
        self._seen: set[tuple[Any, ...]] = set()

    def has_seen(self, got: Delivered) -> bool:
        """Were these the outputs of an earlier call? Outputs that are all one number say nothing."""
        print_ = tuple(_print_of(x.tensor) for x in got.outputs)
        if not print_ or None in print_:
            return False
        seen = print_ in self._seen
        self._seen.add(print_)
        return seen


def agree(got: list[Got], want: list[torch.Tensor | None], count: int, tolerance: float) -> bool:
    """Do both say the same, as far as that many random elements of each output show? Whole numbers and truth values
    must be equal; float32 that is off like a narrower float does not agree."""
    return len(got) == len(want) and all(_agree(a.tensor, b, count, tolerance) for a, b in zip(got, want, strict=True))


def _agree(got: torch.Tensor | None, want: torch.Tensor | None, count: int, tolerance: float) -> bool:
    if want is not None and got is not None and want.dtype is torch.bool:
        want, got = want.view(torch.uint8), got.view(torch.uint8)
    if got is None or want is None or got.shape != want.shape or got.dtype != want.dtype:
        return False
    if not want.numel():
        return True
    places = _secret_places(want.numel(), min(count, want.numel())).to(want.device)
    a, b = (x.reshape(-1)[places].to(torch.float64) for x in (got, want))
    if not want.is_floating_point():
        return torch.equal(a, b)
    size = rms_of(b)
    if want.dtype is torch.float32 and compare(a, b, tolerance, size, relative=False).rms > _COARSE * size:
        return False
    return torch.allclose(a, b, rtol=tolerance, atol=tolerance * min(1.0, size), equal_nan=True)  # some are small


def _secret_places(elements: int, count: int) -> torch.Tensor:
    """So many random indices."""
    return torch.frombuffer(bytearray(os.urandom(8 * count)), dtype=torch.int64).remainder_(elements)


def _print_of(x: torch.Tensor | None) -> tuple[Any, ...] | None:
    """Enough of a tensor to know it again; None for one of a single number."""
    if x is None or x.numel() < 2:
        return None
    flat = memory_of(x)
    if _is_one_number(flat[:: max(1, flat.numel() // 64)]) and _is_one_number(flat):
        return None
    numbers = flat.view(torch.uint8)
    even = numbers[: numbers.numel() // 4 * 4].view(torch.int32)
    return (tuple(x.shape), int(even.sum(dtype=torch.int64)), *even[:: max(1, even.numel() // 64)].tolist())


def _is_one_number(flat: torch.Tensor) -> bool:
    return bool((flat == flat[0]).all()) or bool(flat.isnan().all())


def _same(a: Delivered, b: Delivered) -> bool:
    """Bit by bit."""
    pairs = list(zip(a.all(), b.all(), strict=False))
    return len(a.all()) == len(b.all()) and all(_same_tensor(x.tensor, y.tensor) for x, y in pairs)


def _same_tensor(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and a.dtype == b.dtype and same_bits(memory_of(a), memory_of(b))


def is_bad(figures: Figures) -> bool:
    """Is there an output missing, or an element of one beyond the tolerance? On a finite draw."""
    missing = figures["got_outputs"] != figures["expected_outputs"]
    bad = any(x.get("over_tolerance", 0) + x.get("non_finite_mismatch", 0) > 0 for x in figures["outputs"])
    return figures["finite"] and (missing or bad)


def badness(figures: Figures) -> tuple[bool, bool, float]:
    """Of two the greater one is the worse: changed inputs or outputs of another form, then bad or missing ones, then
    the error beside what eager may have."""
    outputs = figures["outputs"]
    unlike = any(x["got"] != x["expected"] or x["got_type"] != x["expected_type"] for x in outputs)
    shares = (_error_share(x) for x in outputs if x["elements"] and figures["finite"])
    return figures["inputs_changed"] or unlike, is_bad(figures), max(shares, default=0.0)


def _error_share(x: Figures) -> float:
    return x["rms"] / max(x["eager_rms"], _FINE * x["reference_rms"], 1e-300)


def draw_figures(draw: Draw, expected: Expected, got: Delivered, changed: bool, tolerance: float) -> Figures:
    """The record of one draw; buffers that change stand behind the outputs on both sides."""
    sides = zip(expected.eager, expected.want, got.all(), strict=False)
    return {
        "seed": draw.seed,
        "kind": draw.kind,
        "finite": expected.finite,
        "inputs_changed": changed,
        "got_structure": got.structure,
        "expected_outputs": len(expected.eager),
        "got_outputs": len(got.all()),
        "outputs": [_output_figures(eager, want, one, tolerance) for eager, want, one in sides],
    }


def _output_figures(eager: torch.Tensor, want: torch.Tensor, got: Got, tolerance: float) -> Figures:
    expected = spec_of(eager)
    figures = {
        "expected_type": _type_name(eager),
        "got_type": got.type,
        "expected_device": str(eager.device),
        "got_device": got.device,
        "expected": expected,
        "got": _without_idle_strides(got.spec, expected),
        "elements": 0,
    }
    if got.tensor is not None and got.tensor.shape == eager.shape and eager.numel() > 0:
        figures |= _errors(eager, want, got.tensor, tolerance)
    return figures


def _errors(eager: torch.Tensor, want: torch.Tensor, got: torch.Tensor, tolerance: float) -> Figures:
    if eager.dtype is torch.bool:  # as bytes: only 0 and 1 are truth values
        eager, want, got = (x.contiguous().view(torch.uint8) for x in (eager, want.to(torch.bool), got))
    # A task of wide numbers may give narrow ones: two of them that lie side by side are both right.
    tolerance = max(tolerance, tolerance_of(DTYPE_NAMES[eager.dtype])) if eager.is_floating_point() else 0.0
    reference_rms = rms_of(want)
    error = compare(got, want, tolerance, reference_rms)
    own = compare(eager, want, tolerance, reference_rms, relative=False) if eager is not want else None
    if own and own.over_tolerance and error.over_tolerance:  # where eager misses the oracle, eager is right too
        beside = compare(got, eager, tolerance, reference_rms)
        error = beside if beside.over_tolerance == 0 else error
    return {
        "elements": eager.numel(),
        "over_tolerance": error.over_tolerance,
        "non_finite_mismatch": error.non_finite_mismatch,
        "max_abs": error.max_abs,
        "max_rel": error.max_rel,
        "rms": error.rms,
        "reference_rms": reference_rms,
        "eager_max_abs": own.max_abs if own else 0.0,
        "eager_rms": max(own.rms if own else 0.0, _least_rms(eager, tolerance) * reference_rms),
        "first_index": unravel(error.first, list(eager.shape)),
        "first_got": error.first_got,
        "first_want": error.first_want,
    } | ({"of_tolerance": error.of_tolerance} if tolerance > 0 else {})


def _least_rms(eager: torch.Tensor, tolerance: float) -> float:
    """float64 of a task that is not of float64 alone is no finer than float32, whatever the oracle says."""
    return _OF_ONE_ROUNDING if eager.dtype is torch.float64 and tolerance >= _OF_FLOAT32 else 0.0


def _type_name(x: torch.Tensor) -> str:
    kind = type(x)
    return "torch.Tensor" if kind is torch.Tensor else f"{kind.__module__}.{kind.__qualname__}"


def _without_idle_strides(spec: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Strides of dimensions of size one say nothing: they are made equal to the expected ones."""
    if spec["shape"] != expected["shape"] or len(spec["strides"]) != len(expected["strides"]):
        return spec
    sides = zip(spec["shape"], spec["strides"], expected["strides"], strict=True)
    empty = 0 in spec["shape"]
    return {**spec, "strides": [want if size <= 1 or empty else got for size, got, want in sides]}
