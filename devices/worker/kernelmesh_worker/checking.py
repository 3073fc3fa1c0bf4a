"""One checked call of a candidate, and the figures of it."""

from __future__ import annotations

from typing import Any

import torch

from kernelmesh_worker.arena import Arena, Got
from kernelmesh_worker.candidate_process import CandidateProcess
from kernelmesh_worker.comparison import compare, rms_of, unravel
from kernelmesh_worker.draws import Draw
from kernelmesh_worker.lent import spec_of
from kernelmesh_worker.reference import Expected

_TOLERANCES = {"float16": 1e-2, "bfloat16": 1e-2}


def tolerance_of(dtype: str) -> float:
    return _TOLERANCES.get(dtype, 1e-4)


def lend(arena: Arena, inputs: list[Any]) -> list[dict[str, Any]]:
    """Fresh contents and poisoned outputs; what the call is to be told."""
    told = arena.call_inputs(inputs)
    arena.poison()
    arena.write_inputs(inputs)
    return told


def collect(arena: Arena, candidate: CandidateProcess) -> list[Got]:
    """The outputs of the call that was just done."""
    return arena.read(candidate.outputs() if arena.kind == "python_host" else None)


def checked_call(arena: Arena, candidate: CandidateProcess, inputs: list[Any]) -> tuple[list[Got], bool]:
    """Outputs, and whether inputs or weights were changed. Weights are restored then."""
    told = lend(arena, inputs)
    candidate.ask("reset")
    candidate.ask("call", plain=told)
    got = collect(arena, candidate)
    changed = arena.changed(inputs)
    if changed:
        arena.write_weights()
    return got, changed


def draw_figures(draw: Draw, expected: Expected, got: list[Got], changed: bool, tolerance: float) -> dict[str, Any]:
    """The record of one draw."""
    sides = zip(expected.eager, expected.want, got, strict=False)
    return {
        "seed": draw.seed,
        "kind": draw.kind,
        "finite": expected.finite,
        "inputs_changed": changed,
        "expected_outputs": len(expected.eager),
        "got_outputs": len(got),
        "outputs": [_output_figures(eager, want, one, tolerance) for eager, want, one in sides],
    }


def _output_figures(eager: torch.Tensor, want: torch.Tensor, got: Got, tolerance: float) -> dict[str, Any]:
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


def _errors(eager: torch.Tensor, want: torch.Tensor, got: torch.Tensor, tolerance: float) -> dict[str, Any]:
    reference_rms = rms_of(want)
    error = compare(got, want, tolerance, reference_rms)
    own = compare(eager, want, tolerance, reference_rms) if eager is not want else None
    return {
        "elements": eager.numel(),
        "over_tolerance": error.over_tolerance,
        "non_finite_mismatch": error.non_finite_mismatch,
        "max_abs": error.max_abs,
        "max_rel": error.max_rel,
        "rms": error.rms,
        "reference_rms": reference_rms,
        "eager_max_abs": own.max_abs if own else 0.0,
        "eager_rms": own.rms if own else 0.0,
        "first_index": unravel(error.first, list(eager.shape)),
        "first_got": error.first_got,
        "first_want": error.first_want,
    }


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
