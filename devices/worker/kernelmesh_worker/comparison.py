"""Holds an output against the oracle's, in chunks, without a copy of the whole."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch

from kernelmesh_worker.device import here


@dataclass
class Error:
    """Of one tensor against the oracle. Sums and maxima are over elements that are finite on both sides."""

    over_tolerance: int = 0
    non_finite_mismatch: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    of_tolerance: float = 0.0  # the largest |got - want| / (tolerance * (1 + |want|)); 0 where nothing is tolerated
    rms: float = 0.0
    first: int = -1  # flat index of the first bad element; -1: none
    first_got: float = 0.0
    first_want: float = 0.0
    _squares: float = field(default=0.0, repr=False)
    _count: int = field(default=0, repr=False)


def rms_of(want: torch.Tensor) -> float:
    """Over the finite elements."""
    squares, count = 0.0, 0
    for part in want.reshape(-1).split(here().chunk):
        x = part.to(torch.float64)
        square = torch.dot(x, x).item()
        if not math.isfinite(square):
            x = x[x.isfinite()]
            square = torch.dot(x, x).item()
        squares += square
        count += x.numel()
    return math.sqrt(squares / count) if count else 0.0


def is_finite(tensor: torch.Tensor) -> bool:
    """Without a mask as large as the tensor."""
    if not tensor.is_floating_point():
        return True
    return all(math.isfinite(x.abs().max().item()) for x in tensor.reshape(-1).split(here().chunk) if x.numel())


def compare(
    got: torch.Tensor, want: torch.Tensor, tolerance: float, reference_rms: float, relative: bool = True
) -> Error:
    """Both of the same shape. Bad: |got - want| > tolerance * (1 + |want|), or NaN or infinity not in place. Without
    `relative` there is neither max_rel nor of_tolerance."""
    error = Error()
    floor = reference_rms / 1000 if relative else None
    got, want = got.reshape(-1), want.reshape(-1)
    chunk = here().chunk
    for start in range(0, want.numel(), chunk):
        a = got[start : start + chunk].to(torch.float64)
        b = want[start : start + chunk].to(torch.float64)
        _add_chunk(error, start, a, b, tolerance, floor)
    error.rms = math.sqrt(error._squares / error._count) if error._count else 0.0
    return error


def _add_chunk(
    error: Error, start: int, got: torch.Tensor, want: torch.Tensor, tolerance: float, floor: float | None
) -> None:
    distance = (got - want).abs_()
    wanted = want
    largest = distance.max().item()
    bad = None
    if not math.isfinite(largest):
        finite = got.isfinite() & want.isfinite()
        same = (got == want) | (got.isnan() & want.isnan())
        bad = ~finite & ~same
        error.non_finite_mismatch += int(bad.count_nonzero())
        distance.masked_fill_(~finite, 0.0)
        error._count -= int((~finite).count_nonzero())
        want = want.masked_fill(~finite, 0.0)
        largest = distance.max().item()
    if largest > tolerance:  # else no element can be over
        over = distance > (want.abs() * tolerance).add_(tolerance)
        error.over_tolerance += int(over.count_nonzero())
        bad = over if bad is None else over | bad
    error.max_abs = max(error.max_abs, largest)
    error._squares += torch.dot(distance, distance).item()
    error._count += got.numel()
    if floor is not None:
        size = want.abs()
        if tolerance > 0 and largest > error.of_tolerance * tolerance:  # else no element has a larger share
            error.of_tolerance = max(error.of_tolerance, (distance / (size + 1)).max().item() / tolerance)
        error.max_rel = max(error.max_rel, distance.div_(size).masked_fill_(size <= floor, 0.0).max().item())
    if bad is not None and error.first < 0:
        _find_first(error, start, bad, got, wanted)


def _find_first(error: Error, start: int, bad: torch.Tensor, got: torch.Tensor, want: torch.Tensor) -> None:
    if not bad.any():
        return
    index = int(bad.to(torch.uint8).argmax())
    error.first, error.first_got, error.first_want = start + index, got[index].item(), want[index].item()


def unravel(index: int, shape: list[int]) -> list[int]:
    """Of a flat index in row-major order; empty for -1."""
    if index < 0:
        return []
    place = []
    for size in reversed(shape):
        index, rest = divmod(index, size)
        place.append(rest)
    return place[::-1]
